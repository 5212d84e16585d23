import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { runCli, startCli } from '../../harness/child.ts'
import { Workplace } from './workplace.ts'

/*
 * The embedded stack by its commands, and what an operator does with servers of his own: setup, actors, workers. One story,
 * told in order, on a stack that is this file's alone (STACK_DIRECTORY).
 */

// Real servers and long files, perhaps on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: Workplace
let env: Record<string, string>
const secrets = new Set<string>()

beforeAll(async () => {
  place = await Workplace.make()
  env = { STACK_DIRECTORY: place.path('stack') }
})
afterAll(async () => {
  await pii('stack', 'wipe')
  await place.remove()
})

const pii = (...args: string[]) => runCli(args, { env, cwd: place.directory })
const bundle = fileURLToPath(new URL('../../../policy/bundle', import.meta.url))

/** No secret that is known so far stands in what a command printed. */
function printsNoSecret({ stdout, stderr }: { stdout: string; stderr: string }): void {
  for (const secret of secrets) expect(stdout + stderr).not.toContain(secret)
}

interface Status {
  running: boolean
  queue_url: string
  database_url: string
  transit_addr: string
}
const status = async () => JSON.parse((await pii('stack', 'status', '--json')).stdout) as Status

test('before there is a stack, the commands that need one say what to do', async () => {
  expect(await pii('stack', 'status')).toMatchObject({ code: 0, stderr: expect.stringContaining('stack up') })
  expect(await status()).toMatchObject({ running: false })
  expect(await pii('stack', 'down')).toMatchObject({ code: 0 })
  place.write('a.csv', 'email,note\na@example.com,kept\n')
  for (const args of [
    ['setup', '--stack'],
    ['actor', 'list', '--stack'],
    ['worker', 'detok', '--stack'],
    ['tokenize', 'a.csv', '--fields', 'email', '--purpose', 'demo', '--stack'],
  ]) {
    const { code, stderr } = await pii(...args)
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'pii-vault: The embedded stack is not running: start it with `pii-vault stack up`.\n',
    })
  }
})

test('`stack up` starts it in the background, and is content where it runs', async () => {
  const first = await pii('stack', 'up')
  expect(first).toMatchObject({ code: 0, stdout: '' })
  expect(first.stderr).toContain('The stack is up. Next, ')
  const { running, ...addresses } = await status()
  expect(running).toBe(true)
  for (const url of [addresses.queue_url, addresses.database_url]) secrets.add(new URL(url).password)
  for (const file of ['cli.json', 'detok.secret-id', 'tokenize.secret-id']) {
    expect(place.mode(`stack/credentials/${file}`)).toBe(0o600)
    const content = place.text(`stack/credentials/${file}`).trim()
    secrets.add(file.endsWith('.json') ? (JSON.parse(content) as { secret_id: string }).secret_id : content)
  }
  for (const queue of ['detok', 'tokenize']) {
    const { DATABASE_URL = '', QUEUE_URL = '' } = parseEnv(place.text(`stack/credentials/${queue}.env`))
    for (const url of [DATABASE_URL, QUEUE_URL]) secrets.add(new URL(url).password)
    expect(new URL(QUEUE_URL).username).toBe(`pii-worker-${queue}`)
  }
  const { queue_url } = JSON.parse(place.text('stack/credentials/cli.json')) as { queue_url: string }
  expect(new URL(queue_url).username).toBe('pii-actor-cli')
  printsNoSecret(first)
  const again = await pii('stack', 'up')
  expect(again).toMatchObject({ code: 0 })
  expect(again.stderr).not.toContain('Starting')
  expect(await status()).toEqual({ running, ...addresses })
  const table = await pii('stack', 'status')
  expect(table.stdout).toMatch(/^postgres +running on port \d+ +pid \d+ .*\nvalkey .*\nopenbao .*\n$/)
  printsNoSecret(table)
})

test('`setup --stack` finds everything in place', async () => {
  const ended = await pii('setup', '--stack')
  expect(ended).toMatchObject({ code: 0, stdout: '' })
  expect(ended.stderr).toMatch(/^Everything was in place already\./)
})

test('`actor` makes, lists, revokes and removes an identity, and prints no secret', async () => {
  const added = await pii('actor', 'add', 'svc-export', '--out', 'svc.json', '--stack')
  expect(added).toMatchObject({ code: 0, stdout: '' })
  expect(place.mode('svc.json')).toBe(0o600)
  const { actor, secret_id } = JSON.parse(place.text('svc.json')) as { actor: string; secret_id: string }
  expect(actor).toBe('svc-export')
  secrets.add(secret_id)
  printsNoSecret(added)
  const listed = await pii('actor', 'list', '--stack')
  expect(listed.stdout).toMatch(/^cli +detok: version 1, accepted from 1 +tokenize: version 1, .*\nsvc-export +detok/)
  const revoked = await pii('actor', 'revoke', 'svc-export', '--stack')
  expect(revoked).toMatchObject({ code: 0, stderr: expect.stringContaining('destroyed 1 secret ids') })
  expect(revoked.stderr).toContain('took the passwords of the queue user pii-actor-svc-export')
  expect((await pii('actor', 'list', '--stack')).stdout).toMatch(/svc-export +detok: version 2, accepted from 2/)
  const removed = await pii('actor', 'remove', 'svc-export', '--stack')
  expect(removed).toMatchObject({ code: 0, stderr: expect.stringContaining('deleted the queue user') })
  expect((await pii('actor', 'list', '--stack')).stdout).not.toContain('svc-export')
})

test.each([
  [
    'a name that is none',
    ['add', 'Svc Export', '--out', 'x.json'],
    2,
    'An actor name is 1 to 64 of a to z, 0 to 9 and -.',
  ],
  ['an actor that is not there', ['revoke', 'nobody'], 1, 'There is no actor nobody. `pii-vault actor list` shows'],
  [
    'a file that cannot be written',
    ['add', 'cli', '--out', 'no/x.json'],
    1,
    'no/x.json cannot be written: its directory does not exist.',
  ],
])('`actor` refuses %s', async (_, args, code, message) => {
  const ended = await pii('actor', ...args, '--stack')
  expect(ended.code).toBe(code)
  expect(ended.stderr).toContain(message)
})

test('the whole way with servers of one’s own: setup --out, actor add, workers and files, all by the environment', async () => {
  const { queue_url, database_url, transit_addr } = await status()
  const { rootToken } = (JSON.parse(place.text('stack/openbao/state.json')) as { keys: { rootToken: string } }).keys
  secrets.add(rootToken)
  const admin = { QUEUE_URL: queue_url, DATABASE_URL: database_url, TRANSIT_ADDR: transit_addr, BAO_TOKEN: rootToken }
  const operator = (...args: string[]) => runCli(args, { env: admin, cwd: place.directory })

  // The embedded stack's own workers have credentials already, which are not taken from them by the way.
  const refused = await operator('setup', '--out', 'credentials')
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--renew') })
  const set = await operator('setup', '--out', 'credentials', '--renew')
  expect(set).toMatchObject({ code: 0, stdout: '' })
  expect(set.stderr).toContain('wrote credentials/detok.env')
  for (const file of ['detok.env', 'detok.secret-id', 'tokenize.env', 'tokenize.secret-id'])
    expect(place.mode(`credentials/${file}`)).toBe(0o600)
  printsNoSecret(set)
  const before = place.text('credentials/detok.env')
  expect((await operator('setup', '--out', 'credentials')).stderr).toContain('Everything was in place already.')
  expect(place.text('credentials/detok.env'), 'running workers keep their password').toBe(before)
  expect(await operator('actor', 'add', 'cli', '--out', 'cli.json')).toMatchObject({ code: 0 })

  const common = { TRANSIT_ADDR: transit_addr }
  const workers = ['tokenize', 'detok'].map((queue) => {
    const credentials = parseEnv(readFileSync(place.path(`credentials/${queue}.env`), 'utf8'))
    return startCli(['worker', queue], {
      env: { ...common, ...(credentials as Record<string, string>), POLICY: bundle },
    })
  })
  try {
    await Promise.all(workers.map((worker) => worker.said('"replica started"')))
    const caller = { ...common, ACTOR_CREDENTIALS_FILE: place.path('cli.json') }
    const convert = (...args: string[]) => runCli([...args, '--fields', 'email'], { env: caller, cwd: place.directory })
    expect(await convert('tokenize', 'a.csv', '--purpose', 'import')).toMatchObject({ code: 0 })
    const back = await convert('detok', 'a.tokenized.csv', '--purpose', 'support', '--out', '-')
    expect(back).toMatchObject({ code: 0, stdout: expect.stringMatching(/^email,note\na\W+@example\.com,kept\n$/) })
  } finally {
    for (const worker of workers) worker.kill('SIGTERM')
    expect((await Promise.all(workers.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0])
  }
})

test('without QUEUE_URL the queue is left alone, and `setup` and `actor add` say so', async () => {
  const { database_url, transit_addr } = await status()
  const { rootToken } = (JSON.parse(place.text('stack/openbao/state.json')) as { keys: { rootToken: string } }).keys
  const env = { DATABASE_URL: database_url, TRANSIT_ADDR: transit_addr, BAO_TOKEN: rootToken }
  for (const args of [['setup'], ['actor', 'add', 'elsewhere', '--out', 'elsewhere.json']]) {
    const ended = await runCli(args, { env, cwd: place.directory })
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('the queue was left alone') })
  }
  expect(place.text('elsewhere.json')).not.toContain('queue_url')
})

test('`setup` says which server is not there, and which token is refused', async () => {
  const { database_url, transit_addr } = await status()
  const good = { DATABASE_URL: database_url, TRANSIT_ADDR: transit_addr, BAO_TOKEN: 'wrong-secret' }
  const setup = (changes: Record<string, string>) => runCli(['setup'], { env: { ...good, ...changes } })
  const refused = await setup({})
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the token in BAO_TOKEN is dead') })
  expect(refused.stderr).not.toContain('wrong-secret')
  const unreachable = await setup({ TRANSIT_ADDR: 'http://127.0.0.1:1' })
  expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringContaining('OpenBao at http://127.0.0.1:1 ') })
  const nothing = await runCli(['setup'])
  expect(nothing.code).toBe(2)
  for (const name of ['DATABASE_URL', 'TRANSIT_ADDR', 'BAO_TOKEN'])
    expect(nothing.stderr).toContain(`${name} is not set`)
})

test('`stack down` keeps the data and the addresses, `stack wipe` leaves nothing', async () => {
  const before = await status()
  expect(await pii('stack', 'down')).toMatchObject({ code: 0 })
  expect(await status()).toMatchObject({ running: false })
  expect((await pii('stack', 'status')).stdout).toMatch(/^postgres +stopped/)
  expect(await pii('stack', 'up')).toMatchObject({ code: 0 })
  const after = await status()
  expect(after.running).toBe(true)
  expect(after.database_url).toBe(before.database_url)
  expect((await pii('actor', 'list', '--stack')).stdout).toMatch(/^cli /)
  expect(await pii('stack', 'wipe')).toMatchObject({ code: 0, stderr: 'The stack and its data are gone.\n' })
  expect(place.has('stack')).toBe(false)
})
