import { execFile } from 'node:child_process'
import { lstatSync, mkdirSync, symlinkSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ChildOptions } from '../../harness/child.ts'
import { program, programFlags } from '../../harness/program.ts'
import { useCli } from './use-cli.ts'

/* Where the bytes come from and go to: formats, delimiters, pipes, links, devices. */

const cli = useCli({ workers: true })
const { place } = cli

const token = /tok_[0-7][0-9a-hjkmnp-tv-z]{25}/g
const pii = (args: string[], options: ChildOptions = {}) => cli.run([...args, '--purpose', 'test'], options)

/** There and back; what came back. */
async function roundTrip(name: string, content: string | Buffer, ...options: string[]): Promise<Buffer> {
  place.write(name, content)
  const [, extension] = /\.(\w+)$/.exec(name) ?? []
  expect(await pii(['tokenize', name, ...options])).toMatchObject({ code: 0 })
  const tokenized = name.replace(/\.\w+$/, `.tokenized.${extension}`)
  expect(place.text(tokenized)).toMatch(token)
  expect(place.text(tokenized)).not.toContain('@example.com')
  expect(await pii(['detok', tokenized, ...options, '--out', `back.${extension}`])).toMatchObject({ code: 0 })
  return place.read(`back.${extension}`)
}

describe('come back byte for byte:', () => {
  test.each([
    ['semicolons', 'a.csv', 'id;email\r\n1;a@example.com\r\n2;"b;c@example.com"\r\n', []],
    ['tabs', 'a.tsv', 'id\temail\n1\ta@example.com\n2\t"b\tc@example.com"\n', []],
    ['bars, no last line ending', 'a.csv', 'id|email\n1|a@example.com', []],
    ['a delimiter that has to be told', 'a.csv', 'id^email\n1^a,b@example.com\n', ['--delimiter', '^']],
    ['blank lines and one column', 'a.csv', 'email\n\na@example.com\n\n', []],
    ['NDJSON with CRLF, a byte order mark and spaces', 'a.ndjson', '\ufeff{ "email" : "a@example.com" }\r\n\r\n', []],
    ['.jsonl', 'a.jsonl', '{"email":"a@example.com","n":1.50}\n{"email":"b@example.com"}', []],
  ])('%s', async (_, name, content, options) => {
    expect((await roundTrip(name, content, '--fields', 'email', ...options)).toString()).toBe(content)
  })
})

describe('standard input and output', () => {
  test('nothing but the data is on standard output', async () => {
    const input = 'id,email\n1,a@example.com\n2,\n'
    const options = ['-', '--format', 'csv', '--fields', 'email']
    const there = await pii(['tokenize', ...options], { input })
    expect(there.code).toBe(0)
    expect(there.stdout).toMatch(/^id,email\n1,tok_\w{26}\n2,tok_\w{26}\n$/)
    const back = await pii(['detok', ...options], { input: there.stdout })
    expect(back).toMatchObject({ code: 0, stdout: input })
    expect(back.stderr).toMatch(/^2 rows, 2 items in .*\)\n$/)
    expect(place.files()).toEqual([])
  })

  test('the format has to be told', async () => {
    const { code, stderr } = await pii(['tokenize', '-', '--fields', 'email'], { input: 'email\na\n' })
    expect(code).toBe(2)
    expect(stderr).toContain('--format csv or --format ndjson')
  })

  test('a row that cannot be read stops it on the way, and no file is left', async () => {
    const input = 'id,email\n1,a@example.com\n2\n'
    const { code, stderr } = await pii(
      ['tokenize', '-', '--format', 'csv', '--fields', 'email', '--out', 'result.csv'],
      { input },
    )
    expect(code).toBe(1)
    expect(stderr).toContain('row 2 (line 3) has 1 cell, the header has 2. Mend it, or go on without such rows by')
    expect(place.files()).toEqual([])
  })

  test('what fails is listed in stdin.failed.ndjson, or where --failures says', async () => {
    const input = 'email\nno token\n'
    const detok = ['detok', '-', '--format', 'csv', '--fields', 'email']
    const { code, stdout, stderr } = await pii(detok, { input })
    expect({ code, stdout }).toEqual({ code: 1, stdout: input })
    expect(stderr).toContain('1 failed: 1 invalid. Each is listed in stdin.failed.ndjson.')
    expect(place.failures('stdin')).toEqual([{ row: 1, line: 2, column: 'email', code: 'invalid' }])
    await pii([...detok, '--failures', 'elsewhere'], { input })
    expect(place.text('elsewhere')).toBe(place.text('stdin.failed.ndjson'))
  })

  test('a reader that leaves ends it with an error, not a crash', async () => {
    const rows = Array.from({ length: 20_000 }, (_, i) => `${i},`).join('\n')
    place.write('many.csv', `id,email\n${rows}\n`)
    const command = [process.execPath, ...programFlags, program].map((word) => `'${word}'`).join(' ')
    const line = `set -o pipefail; ${command} detok many.csv --fields email --purpose test --out - | head -n 1`
    const ended = promisify(execFile)('bash', ['-c', line], {
      cwd: place.directory,
      env: { ...process.env, ...cli.env },
    })
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stdout: 'id,email\n',
      stderr: 'pii-vault: Standard output cannot be written: its reader is gone.\n',
    })
  })
})

describe('where the result goes', () => {
  const input = 'email\na@example.com\n'
  const tokenize = ['tokenize', 'a.csv', '--fields', 'email']
  beforeEach(() => place.write('a.csv', input))

  test('a file that is there is replaced, for its owner alone', async () => {
    place.write('result.csv', 'old')
    expect(await pii([...tokenize, '--out', 'result.csv'])).toMatchObject({ code: 0 })
    expect(place.text('result.csv')).toMatch(token)
    expect(place.mode('result.csv')).toBe(0o600)
  })

  test('where something fails, the file that was there stays', async () => {
    place.write('result.csv', 'old')
    expect((await pii(['tokenize', 'a.csv', '--fields', 'phone', '--out', 'result.csv'])).code).toBe(1)
    expect(place.text('result.csv')).toBe('old')
    expect(place.files()).toEqual(['a.csv', 'result.csv'])
  })

  test('through a symbolic link, the file behind it is replaced', async () => {
    place.write('behind.csv', 'old')
    symlinkSync('behind.csv', place.path('link.csv'))
    expect(await pii([...tokenize, '--out', 'link.csv'])).toMatchObject({ code: 0 })
    expect(lstatSync(place.path('link.csv')).isSymbolicLink()).toBe(true)
    expect(place.text('behind.csv')).toMatch(token)
  })

  test('a device stays a device', async () => {
    expect(await pii([...tokenize, '--out', '/dev/null'])).toMatchObject({ code: 0 })
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  test('named pipes are read and written', async () => {
    for (const name of ['in', 'out']) await promisify(execFile)('mkfifo', [place.path(name)])
    const options = ['in', '--format', 'csv', '--fields', 'email', '--out', 'out', '--purpose', 'test']
    const { ended } = cli.start(['tokenize', ...options])
    const [written] = await Promise.all([readFile(place.path('out'), 'utf8'), writeFile(place.path('in'), input)])
    expect(await ended).toMatchObject({ code: 0 })
    expect(written).toMatch(/^email\ntok_/)
  })

  test.each([
    ['the input itself', 'a.csv', 2, 'a.csv cannot be input, output and list of failures at once.'],
    ['a directory', 'folder', 1, 'folder is a directory: name a file in it.'],
    ['a directory that is not there', 'no/result.csv', 1, 'its directory does not exist'],
  ])('%s is refused before anything is sent', async (_, out, code, message) => {
    mkdirSync(place.path('folder'))
    const ended = await pii([...tokenize, '--out', out])
    expect(ended.code).toBe(code)
    expect(ended.stderr).toContain(message)
    expect(place.text('a.csv')).toBe(input)
    expect(place.files()).toEqual(['a.csv', 'folder'])
    expect(await cli.vault.queue('tokenize').count()).toBe(0)
  })
})
