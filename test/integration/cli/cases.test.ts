import { describe, expect, test } from 'vitest'
import { useCli } from './use-cli.ts'

/* Every file of test/cases through the real command: the outcomes are those of the table in its README. */

const cli = useCli({ workers: true })
const { place } = cli

const purpose = ['--purpose', 'test']
const convert = (command: 'tokenize' | 'detok', file: string, ...options: string[]) =>
  cli.run([command, file, ...purpose, ...options])
const token = /tok_[0-7][0-9a-hjkmnp-tv-z]{25}/g

describe('messy.csv', () => {
  test('comes back byte for byte: 12 rows, byte order mark, line endings, quotes, spaces and scripts', async () => {
    place.case('messy.csv')
    const there = await convert('tokenize', 'messy.csv', '--fields', 'name,email')
    expect(there).toMatchObject({ code: 0, stdout: '' })
    expect(there.stderr).toMatch(/^12 rows, 24 items in .* → messy\.tokenized\.csv\n$/)
    const tokens = place.text('messy.tokenized.csv')
    expect(tokens.startsWith('\ufeffid,name,email,note\r\n1,"tok_')).toBe(true)
    expect(tokens.match(token)).toHaveLength(24)
    expect(new Set(tokens.match(token)).size, 'one value in two columns gets two tokens').toBe(24)
    expect(tokens).toContain('"looks like a formula, is a name"\r\n')

    const back = await convert('detok', 'messy.tokenized.csv', '--fields', 'name,email', '--out', 'back.csv')
    expect(back).toMatchObject({ code: 0, stdout: '' })
    expect(place.read('back.csv')).toEqual(place.read('messy.csv'))
    expect(place.files()).toEqual(['back.csv', 'messy.csv', 'messy.tokenized.csv'])
    expect([place.mode('back.csv'), place.mode('messy.tokenized.csv')]).toEqual([0o600, 0o600])
  })

  test("has its byte order mark outside the first column's name", async () => {
    place.case('messy.csv')
    expect(await convert('tokenize', 'messy.csv', '--fields', 'id')).toMatchObject({ code: 0 })
    expect(place.text('messy.tokenized.csv').startsWith('\ufeffid,name,email,note\r\ntok_')).toBe(true)
  })
})

describe('messy.ndjson', () => {
  const failed = [
    { row: 5, line: 6, column: 'email', code: 'invalid' },
    { row: 7, line: 8, column: 'email', code: 'invalid' },
    { row: 9, line: 10, column: 'email', code: 'invalid' },
  ]

  test('number, lone surrogate and repeated key fail alone; all else comes back', async () => {
    place.case('messy.ndjson')
    const there = await convert('tokenize', 'messy.ndjson', '--fields', 'email')
    expect(there.code).toBe(1)
    expect(there.stderr).toContain('3 failed: 3 invalid. Each is listed in messy.ndjson.failed.ndjson.')
    expect(place.failures('messy.ndjson')).toEqual(failed)
    expect(place.mode('messy.ndjson.failed.ndjson')).toBe(0o600)
    const tokens = place.text('messy.tokenized.ndjson')
    expect(tokens).toContain('{"id":3}\n{"id":4,"email":null}\n{"id":5,"email":12345678901234567890}\n')
    expect(tokens).toContain('{"id":7,"email":""}\n')
    expect(tokens).toContain('{"id":9,"email":"","email":""}\n')
    expect(tokens.match(token)).toHaveLength(5)

    const back = await convert('detok', 'messy.tokenized.ndjson', '--fields', 'email', '--out', 'back.ndjson')
    expect(back.code, 'the number and the repeated key are no tokens either').toBe(1)
    const [was, is] = [place.text('messy.ndjson').split('\n'), place.text('back.ndjson').split('\n')]
    expect(is.length).toBe(was.length)
    const differing = was.flatMap((line, at) => (line === is[at] ? [] : [at + 1]))
    expect(differing, 'lines whose value failed').toEqual([8, 10])
  })

  test('--keep-failed leaves what failed, so that the file comes back byte for byte', async () => {
    place.case('messy.ndjson')
    const options = ['--fields', 'email', '--keep-failed', '--allow-failures']
    const there = await convert('tokenize', 'messy.ndjson', ...options)
    expect(there).toMatchObject({ code: 0 })
    expect(there.stderr).toContain('3 failed: 3 invalid.')
    const back = await convert('detok', 'messy.tokenized.ndjson', ...options, '--out', 'back.ndjson')
    expect(back.code).toBe(0)
    expect(place.read('back.ndjson')).toEqual(place.read('messy.ndjson'))
  })
})

describe('cp1252.csv', () => {
  test('is refused with row, column and byte, and nothing is written', async () => {
    place.case('cp1252.csv')
    const { code, stdout, stderr } = await convert('tokenize', 'cp1252.csv', '--fields', 'name')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(/^pii-vault: cp1252\.csv: Row 2 \(line 3\), column "name": byte 0xE9 is not valid UTF-8/)
    expect(stderr).toContain('--encoding windows-1252')
    expect(place.files()).toEqual(['cp1252.csv'])
  })

  test('is read with --encoding windows-1252, and comes back as UTF-8', async () => {
    place.case('cp1252.csv')
    const there = await convert('tokenize', 'cp1252.csv', '--fields', 'name', '--encoding', 'windows-1252')
    expect(there.code).toBe(0)
    const back = await convert('detok', 'cp1252.tokenized.csv', '--fields', 'name', '--out', '-')
    expect(back).toMatchObject({ code: 0, stdout: 'id,name\n1,plain\n2,café – dash\n3,plain again\n' })
  })
})

describe('ragged.csv', () => {
  test('stops the run with both rows named and nothing half-done', async () => {
    place.case('ragged.csv')
    const { code, stderr } = await convert('tokenize', 'ragged.csv', '--fields', 'email')
    expect(code).toBe(1)
    expect(stderr).toContain('nothing was sent and nothing written')
    expect(stderr).toContain('\n  - row 2 (line 3) has 2 cells, the header has 3\n  - row 3 (line 4) has 4 cells')
    expect(stderr).toContain('--allow-failures')
    expect(place.files()).toEqual(['ragged.csv'])
  })

  test('--allow-failures goes on and lists them; a row whose PII cannot be found stays out of the tokens', async () => {
    place.case('ragged.csv')
    const there = await convert('tokenize', 'ragged.csv', '--fields', 'email', '--allow-failures')
    expect(there.code).toBe(0)
    expect(there.stderr).toContain('2 failed: 2 ragged. Rows that could not be read: 2.')
    expect(place.failures('ragged.csv')).toEqual([
      { row: 2, line: 3, column: null, code: 'ragged' },
      { row: 3, line: 4, column: null, code: 'ragged' },
    ])
    const back = await convert('detok', 'ragged.tokenized.csv', '--fields', 'email', '--out', '-')
    expect(back).toMatchObject({ code: 0, stdout: 'id,name,email\n1,a,a@example.com\n4,d,d@example.com\n' })
  })
})

test('unclosed-quote.csv: the error names the row where the quote opened', async () => {
  place.case('unclosed-quote.csv')
  const { code, stderr } = await convert('tokenize', 'unclosed-quote.csv', '--fields', 'name')
  expect(code).toBe(1)
  expect(stderr).toBe(
    'pii-vault: unclosed-quote.csv: Row 1 (line 2): a quote that opens in this row is never closed.\n',
  )
  expect(place.files()).toEqual(['unclosed-quote.csv'])
})

test('duplicate-header.csv: refused, as it cannot be known which column is meant', async () => {
  place.case('duplicate-header.csv')
  const { code, stderr } = await convert('tokenize', 'duplicate-header.csv', '--fields', 'email')
  expect(code).toBe(1)
  expect(stderr).toContain('more than one column "email"')
  expect(place.files()).toEqual(['duplicate-header.csv'])
})

test('header-only.csv: a file with the header, 0 rows, exit code 0', async () => {
  place.case('header-only.csv')
  const { code, stderr } = await convert('tokenize', 'header-only.csv', '--fields', 'email')
  expect(code).toBe(0)
  expect(stderr).toMatch(/^0 rows, 0 items in /)
  expect(place.text('header-only.tokenized.csv')).toBe('id,email\n')
})

test('empty.csv: an error that says the file is empty', async () => {
  place.case('empty.csv')
  const { code, stderr } = await convert('tokenize', 'empty.csv', '--fields', 'email')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^pii-vault: empty\.csv: The file is empty/)
  expect(place.files()).toEqual(['empty.csv'])
})

describe('broken-line.ndjson', () => {
  test('stops the run with the line named', async () => {
    place.case('broken-line.ndjson')
    const { code, stderr } = await convert('tokenize', 'broken-line.ndjson', '--fields', 'email')
    expect(code).toBe(1)
    expect(stderr).toContain('row 2 (line 2) is not valid JSON')
    expect(place.files()).toEqual(['broken-line.ndjson'])
  })

  test('rows 1 and 3 succeed with --allow-failures', async () => {
    place.case('broken-line.ndjson')
    const there = await convert('tokenize', 'broken-line.ndjson', '--fields', 'email', '--allow-failures')
    expect(there.code).toBe(0)
    expect(place.failures('broken-line.ndjson')).toEqual([{ row: 2, line: 2, column: null, code: 'not_json' }])
    const back = await convert('detok', 'broken-line.tokenized.ndjson', '--fields', 'email', '--out', '-')
    expect(back).toMatchObject({
      code: 0,
      stdout: '{"id":1,"email":"a@example.com"}\n{"id":3,"email":"c@example.com"}\n',
    })
  })
})
