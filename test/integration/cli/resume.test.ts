import { appendFileSync, statSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { until } from '../../harness/until.ts'
import { useCli } from './use-cli.ts'

// Real servers and long files, perhaps on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

const cli = useCli({ workers: true })
const { place } = cli

const tokenize = ['tokenize', 'a.csv', '--fields', 'email', '--purpose', 'test', '--out', 'tokens.csv', '--resume']
const detok = ['detok', 'tokens.csv', '--fields', 'email', '--purpose', 'test', '--out', 'back.csv', '--resume']
const pii = (args: string[]) => cli.run(args)

const fileOf = (rows: number): string =>
  `id,email\n${Array.from({ length: rows }, (_, i) => `${i},user-${i}@example.com\n`).join('')}`

/** Runs until something is done and was saved, and then ends it by this signal. What is done is saved each second. */
async function stopped(args: string[], output: string, signal: NodeJS.Signals) {
  const queue = cli.vault.queue(args[0] ?? '')
  const stat = (name: string) => statSync(place.path(name), { throwIfNoEntry: false })
  const running = cli.start(args)
  await until('something is done', () => (stat(`${output}.partial`)?.size ?? 0) > 1_000)
  await queue.pause()
  const savedAt = stat(`${output}.resume`)?.mtimeMs ?? 0
  await until('it is time to save', () => Date.now() - savedAt > 1_000)
  await queue.resume()
  await until('a save began', () => (stat(`${output}.resume`)?.mtimeMs ?? 0) > savedAt)
  // More is written only after the save was committed: what a signal cuts off before that is as if it never began.
  const written = stat(`${output}.partial`)?.size ?? 0
  await until('the save is done', () => (stat(`${output}.partial`)?.size ?? 0) > written)
  running.kill(signal)
  return running.ended
}

test('killed in the middle in both directions, and resumed: the file comes back byte for byte', async () => {
  place.write('a.csv', fileOf(12_000))
  expect(await stopped(tokenize, 'tokens.csv', 'SIGKILL')).toMatchObject({ code: null })
  expect(place.has('tokens.csv')).toBe(false)
  expect([place.mode('tokens.csv.partial'), place.mode('tokens.csv.resume')]).toEqual([0o600, 0o600])
  // As if more had reached the disk than was noted as done.
  appendFileSync(place.path('tokens.csv.partial'), '11999,half a li')
  const there = await pii(tokenize)
  expect(there.code).toBe(0)
  expect(there.stderr).toMatch(/^Going on after row [1-9][\d,]+\.\n/)
  expect(there.stderr).toContain('12,000 rows, 12,000 items in ')
  expect(place.files()).toEqual(['a.csv', 'tokens.csv'])

  expect(await stopped(detok, 'back.csv', 'SIGKILL')).toMatchObject({ code: null })
  expect((await pii(detok)).stderr).toMatch(/^Going on after row [1-9][\d,]+\.\n/)
  expect(place.read('back.csv').equals(place.read('a.csv'))).toBe(true)
  expect(place.files()).toEqual(['a.csv', 'back.csv', 'tokens.csv'])
})

test('interrupted and resumed, the list of failures is that of a run in one go', async () => {
  place.write('tokens.csv', fileOf(40_000))
  const interrupted = await stopped(detok, 'back.csv', 'SIGINT')
  expect(interrupted.code).toBe(130)
  expect(interrupted.stderr).toMatch(/What is done is kept: [1-9][\d,]+ rows\. The same command goes on after them\./)
  const resumed = await pii(detok)
  expect(resumed.code).toBe(1)
  expect(resumed.stderr).toContain('40,000 failed: 40,000 invalid. Each is listed in tokens.csv.failed.ndjson.')
  expect(place.read('back.csv').equals(place.read('tokens.csv'))).toBe(true)
  const list = place.text('tokens.csv.failed.ndjson')
  await pii([...detok.filter((option) => option !== '--resume')])
  expect(place.text('tokens.csv.failed.ndjson') === list).toBe(true)
  expect(place.files()).toEqual(['back.csv', 'tokens.csv', 'tokens.csv.failed.ndjson'])
})

test('the rest of another file, or under other options, does not fit what is done', async () => {
  place.write('a.csv', fileOf(20_000))
  await stopped(tokenize, 'tokens.csv', 'SIGINT')
  const before = place.files()
  const otherOptions = await pii([...tokenize, '--keep-failed'])
  appendFileSync(place.path('a.csv'), '20000,late@example.com\n')
  const otherFile = await pii(tokenize)
  for (const { code, stderr } of [otherOptions, otherFile]) {
    expect(code).toBe(1)
    expect(stderr).toMatch(/tokens\.csv\.resume was left by a run on another file, or with other options\./)
  }
  expect(place.files()).toEqual(before)
})

test('two runs cannot work on one output', async () => {
  place.write('a.csv', fileOf(1))
  const { env, vault } = cli
  const idle = { ...env, QUEUE_PREFIX: `${vault.prefix}-idle` } // no worker here: the first run waits
  const running = cli.start(tokenize, { env: idle })
  await until('the first has begun', () => place.has('tokens.csv.partial'))
  const second = await pii(tokenize)
  expect(second.code).toBe(1)
  expect(second.stderr).toContain('tokens.csv.resume is in use by another run.')
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130 })
  expect(place.files()).toEqual(['a.csv'])
  const keys = await vault.redis.keys(`${idle.QUEUE_PREFIX}:*`)
  if (keys.length > 0) await vault.redis.del(keys)
})

test('where nothing was done, nothing is kept', async () => {
  place.write('a.csv', 'id,email\n1\n')
  expect(await pii(tokenize)).toMatchObject({ code: 1 })
  expect(place.files()).toEqual(['a.csv'])
})

test.each([
  ['standard input', ['-', '--format', 'csv', '--out', 'tokens.csv']],
  ['standard output', ['a.csv', '--out', '-']],
])('%s cannot be resumed: exit code 2', async (_, options) => {
  place.write('a.csv', fileOf(1))
  const { code, stderr } = await pii(['tokenize', ...options, '--fields', 'email', '--purpose', 'test', '--resume'])
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--resume needs files') })
  expect(place.files()).toEqual(['a.csv'])
})
