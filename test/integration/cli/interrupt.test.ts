import { existsSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { TestVault } from '../../harness/vault.ts'
import { environmentOf, start, Workplace } from './cli.ts'

/* No worker runs here, so each command waits for an answer that does not come. */

let vault: TestVault
let home: Workplace
let env: Record<string, string>
let place: Workplace

beforeAll(async () => {
  vault = await TestVault.open()
  home = await Workplace.make()
  env = await environmentOf(vault, await vault.actor(), home)
})
afterAll(async () => {
  await vault.close()
  await home.remove()
})
beforeEach(async () => {
  place = await Workplace.make()
  place.write('a.csv', 'email\na@example.com\n')
})
afterEach(() => place.remove())

const args = ['--fields', 'email', '--purpose', 'test']

/** Resolves when a request of the command lies on the queue. */
async function requested(): Promise<void> {
  const queue = vault.queue('tokenize')
  await expect.poll(() => queue.count(), { timeout: 20_000 }).toBeGreaterThan(0)
  await queue.drain()
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends a run that waits, leaving no file behind: exit code %i', async (signal, code) => {
  const running = start(['tokenize', 'a.csv', ...args], { env, cwd: place.directory })
  await requested()
  expect(place.files().some((name) => name.endsWith('.partial'))).toBe(true)
  running.kill(signal)
  const ended = await running.ended
  expect(ended).toMatchObject({ code, stdout: '' })
  expect(ended.stderr).toBe('\nInterrupted: cleaning up.\n')
  expect(place.files()).toEqual(['a.csv'])
  expect(existsSync(`/proc/${running.pid}`)).toBe(false)
})

test('a run that waits for standard input can be interrupted too', async () => {
  const running = start(['tokenize', '-', '--format', 'csv', ...args, '--out', 'result.csv'], {
    env,
    cwd: place.directory,
    input: 'open',
  })
  await expect.poll(() => place.files().some((name) => name.startsWith('result.csv')), { timeout: 20_000 }).toBe(true)
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130 })
  expect(place.files()).toEqual(['a.csv'])
})

test('after 10 s without an answer it asks whether a worker runs, and goes on waiting', async () => {
  const running = start(['detok', 'a.csv', ...args], { env, cwd: place.directory })
  await running.said('Detokenizing: no progress for 10 s. Is a worker running? `pii-vault worker detok` starts one.\n')
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130 })
})
