import { existsSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { useCli } from './use-cli.ts'

/* No worker runs here, so each command waits for an answer that does not come. */

const cli = useCli()
const { place } = cli

beforeEach(() => {
  place.write('a.csv', 'email\na@example.com\n')
})

const args = ['--fields', 'email', '--purpose', 'test']

/** Resolves when a request of the command lies on the queue. */
async function requested(): Promise<void> {
  const queue = cli.vault.queue('tokenize')
  await until('a request is sent', async () => (await queue.count()) > 0)
  await queue.drain()
}

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('%s ends a run that waits, leaving no file behind: exit code %i', async (signal, code) => {
  const running = cli.start(['tokenize', 'a.csv', ...args])
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
  const running = cli.start(['tokenize', '-', '--format', 'csv', ...args, '--out', 'result.csv'], { input: 'open' })
  await until('it is begun', () => place.files().some((name) => name.startsWith('result.csv')))
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130 })
  expect(place.files()).toEqual(['a.csv'])
})

test('after 10 s without an answer it asks whether a worker runs, and goes on waiting', async () => {
  const running = cli.start(['detok', 'a.csv', ...args])
  await running.said('Detokenizing: no progress for 10 s. Is a worker running? `pii-vault worker detok` starts one.\n')
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130 })
})
