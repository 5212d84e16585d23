import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { scanTable } from '../../../../producers/files/index.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { chunked, readAll, Tokens, thereAndBack, valuesOf, written } from './support.ts'

const file = (name: string) => readFileSync(new URL(`../../../cases/${name}`, import.meta.url))
const csv = (...columns: string[]) => ({ format: 'csv', columns }) as const
const ndjson = (...columns: string[]) => ({ format: 'ndjson', columns }) as const

describe('messy.csv', () => {
  test('comes back byte for byte, whatever the chunks', async () => {
    for (const sizes of [[1], [7, 2], [64 * 1024]]) {
      const { tokenized, back } = await thereAndBack(file('messy.csv'), csv('name', 'email'), sizes)
      expect(back).toEqual(file('messy.csv'))
      expect(tokenized.includes('@example.com,')).toBe(false)
    }
  })

  test('has 12 rows, and values as they stand: nothing trimmed, normalized, evaluated or cast', async () => {
    const values = valuesOf(await readAll(file('messy.csv'), csv('id', 'name', 'email')))
    expect(values).toHaveLength(12)
    expect(values[0]).toEqual(['1', 'Last, First', 'a@example.com'])
    expect(values[1]?.[1]).toBe('He said "hi"')
    expect(values[2]?.[1]?.normalize('NFD')).toBe(values[3]?.[1])
    expect(values[2]?.[1]).not.toBe(values[3]?.[1])
    expect(values[4]?.slice(1)).toEqual(['  spaced  ', ' padded@example.com '])
    expect(values[5]?.slice(1)).toEqual(['', ''])
    expect(values.slice(8).map((row) => row[1])).toEqual(['=1+1', 'a@example.com', '0012', '1e5'])
  })

  test('has its byte order mark in the preamble, not in the name of the first column', async () => {
    const { preamble } = await readAll(file('messy.csv'), csv('id'))
    expect(preamble.toString()).toBe('\ufeffid,name,email,note\r\n')
  })
})

describe('messy.ndjson', () => {
  test('gives values, absences and refusals row by row', async () => {
    const table = await readAll(file('messy.ndjson'), ndjson('email'))
    expect(valuesOf(table).flat()).toEqual([
      'a@example.com',
      '',
      '<absent>',
      '<absent>',
      '<not_a_string>',
      'nul \0 inside',
      'lone \ud800 surrogate',
      'tab\tand\u2028sep',
      '<repeated_key>',
      'last line, no newline',
    ])
    expect(table.rows.map(({ line }) => line)).toEqual([1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    expect(table.rows.every(({ problem }) => problem === undefined)).toBe(true)
  })

  test('comes back byte for byte', async () => {
    const { tokenized, back } = await thereAndBack(file('messy.ndjson'), ndjson('email'))
    expect(back).toEqual(file('messy.ndjson'))
    expect(tokenized.toString()).toContain('{"id":5,"email":12345678901234567890}\n')
    expect(tokenized.toString()).toContain('"extra":{"deep":[1,2,{"x":null}]}}\n\n{"id":2')
  })
})

describe('cp1252.csv', () => {
  test('is refused with row, column and byte', async () => {
    await expect(scanTable(chunked(file('cp1252.csv')), csv('name'))).rejects.toThrow(
      /^Row 2 \(line 3\), column "name": byte 0xE9 is not valid UTF-8\..*--encoding windows-1252/,
    )
  })

  test('is refused for a column that is not named, too', async () => {
    await expect(scanTable(chunked(file('cp1252.csv')), csv('id'))).rejects.toThrow(/^Row 2 .*column "name": byte 0xE9/)
  })

  test('is read with --encoding windows-1252, and written as UTF-8', async () => {
    const options = { ...csv('name'), encoding: 'windows-1252' }
    const table = await readAll(file('cp1252.csv'), options, [1])
    expect(valuesOf(table)[1]).toEqual(['café – dash'])
    expect(written(table).toString()).toBe('id,name\n1,plain\n2,café – dash\n3,plain again\n')
    const { back } = await thereAndBack(file('cp1252.csv'), options)
    expect(back.toString()).toBe('id,name\n1,plain\n2,café – dash\n3,plain again\n')
  })
})

test('ragged.csv: both rows are reported with their numbers, the others are read', async () => {
  const { rows, problems, problemCount } = await scanTable(chunked(file('ragged.csv')), csv('email'))
  expect({ rows, problemCount }).toEqual({ rows: 4, problemCount: 2 })
  expect(problems.map(({ message }) => message)).toEqual([
    'row 2 (line 3) has 2 cells, the header has 3',
    'row 3 (line 4) has 4 cells, the header has 3',
  ])
  const table = await readAll(file('ragged.csv'), csv('email'))
  expect(valuesOf(table)).toEqual([['a@example.com'], [], [], ['d@example.com']])
  expect(written(table, () => 'x').toString()).toBe('id,name,email\n1,a,x\n2,b\n3,c,c@example.com,surplus\n4,d,x\n')
})

test('unclosed-quote.csv: the error names the row where it opened', async () => {
  await expect(scanTable(chunked(file('unclosed-quote.csv')), csv('name'))).rejects.toThrow(
    new UserError('Row 1 (line 2): a quote that opens in this row is never closed.'),
  )
})

test('duplicate-header.csv: refused for the column that is there twice, read for the others', async () => {
  await expect(scanTable(chunked(file('duplicate-header.csv')), csv('email'))).rejects.toThrow(
    /more than one column "email"/,
  )
  expect(await scanTable(chunked(file('duplicate-header.csv')), csv('id'))).toMatchObject({ rows: 1 })
})

test('header-only.csv: no rows, and the header comes back', async () => {
  expect(await scanTable(chunked(file('header-only.csv')), csv('email'))).toMatchObject({ rows: 0, problemCount: 0 })
  expect(written(await readAll(file('header-only.csv'), csv('email')))).toEqual(file('header-only.csv'))
})

test('empty.csv: the error says that it is empty', async () => {
  await expect(scanTable(chunked(file('empty.csv')), csv('email'))).rejects.toThrow(/file is empty/)
})

test('broken-line.ndjson: reported with its line, and the rows around it go on', async () => {
  const { problems, rows } = await scanTable(chunked(file('broken-line.ndjson')), ndjson('email'))
  expect({ rows, problems }).toEqual({
    rows: 3,
    problems: [{ code: 'not_json', number: 2, line: 2, message: 'row 2 (line 2) is not valid JSON' }],
  })
  const tokens = new Tokens()
  const table = await readAll(file('broken-line.ndjson'), ndjson('email'))
  expect(written(table, tokens.token).toString()).toBe(
    `{"id":1,"email":"tok_${'0'.repeat(26)}"}\n{"id":2,"email":\n{"id":3,"email":"tok_${'0'.repeat(25)}1"}\n`,
  )
})
