import { mkdirSync } from 'node:fs'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { runCli, startCli } from '../../harness/child.ts'
import { until } from '../../harness/until.ts'
import { Workplace } from './workplace.ts'

/* `npm start` with files of one's own, on a stack that is this test's alone (STACK_DIRECTORY). */

// Real servers and long files, perhaps on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 })

let place: Workplace
let env: Record<string, string>

beforeAll(async () => {
  place = await Workplace.make()
  mkdirSync(place.path('my files'))
  env = { STACK_DIRECTORY: place.path('stack') }
})
afterAll(async () => {
  await runCli(['stack', 'wipe'], { env })
  await place.remove()
})

const begin = (...args: string[]) => runCli(['start', ...args], { env, cwd: place.directory })
const isUp = async () =>
  (await runCli(['stack', 'status', '--json'], { env })).stdout.includes('"running":true,"queue_url"')

test.each([
  ['a file without --fields', ['a.csv'], 2, 'Say which columns of a.csv hold PII'],
  ['a file that is not there', ['a.csv', '--fields', 'x'], 1, 'There is no file'],
  ['a column that is not there', ['b.csv', '--fields', 'x'], 1, 'has no column "x".'],
  [
    'rows that cannot be read',
    ['c.csv', '--fields', 'id'],
    1,
    'row 2 (line 3) has 2 cells, the header has 1\nMend the file',
  ],
])('%s is refused before anything is started', async (_, args, code, message) => {
  place.write('b.csv', 'id\n1\n')
  place.write('c.csv', 'id\n1\n2,3\n')
  const ended = await begin(...args)
  expect(ended.code).toBe(code)
  expect(ended.stderr).toContain(message)
  expect(place.has('stack')).toBe(false)
})

test('the whole job, from nothing: exit code 0, the table, the next commands; what was started is stopped', async () => {
  const file = place.write('my files/it’s mine.csv', 'id,"E-Mail, private"\n1,a@example.com\n2,\n')
  const { code, stdout, stderr } = await begin(file, '--fields', '"E-Mail, private"=email')
  expect({ code, stderr: stderr.includes('pii-vault:') }).toEqual({ code: 0, stderr: false })
  const rows = Object.fromEntries(
    stdout
      .split('\n')
      .map((line) => line.split(/ {2,}/))
      .map(([name = '', ...cells]) => [name, cells]),
  )
  expect(rows).toMatchObject({ rows: ['2', '2'], items: ['2', '2'], failed: ['0', '0'], batches: ['1', '1'] })
  expect(rows).toMatchObject({ 'audit rows': ['4'], identical: ['yes'] })
  expect(stdout).toContain(
    `npx pii-vault tokenize 'my files/it’s mine.csv' --fields '"E-Mail, private"=email' --purpose import`,
  )
  expect(stdout + stderr).not.toContain('example.com')
  expect(place.mode('stack/results/it’s mine.tokenized.csv')).toBe(0o600)
  expect(place.read('stack/results/it’s mine.detokenized.csv')).toEqual(place.read('my files/it’s mine.csv'))
  expect(await isUp()).toBe(false)
})

test('where the stack is up, it stays up; what fails is listed, and not identical is exit code 1', async () => {
  expect(await runCli(['stack', 'up'], { env })).toMatchObject({ code: 0 })
  place.write('a.ndjson', '{"email":"a@example.com"}\n{"email":"lone \\ud800"}\n{"email":7}\n')
  const { code, stdout, stderr } = await begin('a.ndjson', '--fields', 'email')
  expect(code).toBe(1)
  expect(stdout).toMatch(/\nidentical +no\n/)
  expect(stdout).toMatch(/\nfailures: .*a\.tokenized\.ndjson\.failed\.ndjson\n/)
  expect(stderr).toContain('pii-vault: What came back is not what went in, since items failed: invalid.\n')
  expect(place.failures('stack/results/a.tokenized.ndjson')).toHaveLength(2)
  expect(await isUp()).toBe(true)
})

test('interrupted, it cleans up and leaves the stack as it was', async () => {
  const rows = Array.from({ length: 100_000 }, (_, i) => `${i}@example.com`).join('\n')
  place.write('long.csv', `email\n${rows}\n`)
  const running = startCli(['start', 'long.csv', '--fields', 'email'], { env, cwd: place.directory })
  onTestFinished(() => void running.kill('SIGKILL'))
  await running.said('Tokenizing')
  const begun = () => place.filesIn('stack/results').some((name) => name.endsWith('.partial'))
  await until('it is at work', begun)
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ code: 130, stdout: '' })
  expect(place.filesIn('stack/results').filter((name) => /partial|long/.test(name))).toEqual([])
  expect(await isUp()).toBe(true)
})
