import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTable, scanTable } from '../../../../producers/files/index.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { readAll, thereAndBack, valuesOf, written } from './support.ts'

const csv = (...columns: string[]) => ({ format: 'csv', columns }) as const

const characters = [...'abc ,;|\t"=0\r\n\0é漢𝄞', 'e\u0301', '\u200f', '\ufeff', '\u2028', '""', '\r\n', '\u0085']
const delimiters = [',', ';', '\t', '|']
const lineEnding = fc.constantFrom('\n', '\r\n')
const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })

interface Model {
  text: string
  header: string[]
  rows: string[][]
}

/** A CSV file as anyone may have written it, and what is in it. */
const files: fc.Arbitrary<Model> = fc
  .record({ width: fc.integer({ min: 1, max: 5 }), delimiter: fc.constantFrom(...delimiters), mark: fc.boolean() })
  .chain(({ width, delimiter, mark }) => {
    const cell = fc.record({
      value: fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 }),
      quoted: fc.boolean(),
    })
    const row = fc.record({
      cells: fc.array(cell, { minLength: width, maxLength: width }),
      ending: lineEnding,
      blanks: fc.array(lineEnding, { maxLength: 2 }),
    })
    return fc
      .record({
        rows: fc.array(row, { maxLength: 8 }),
        ended: fc.boolean(),
        first: fc.array(lineEnding, { maxLength: 2 }),
      })
      .map(({ rows, ended, first }) => {
        const header = Array.from({ length: width }, (_, at) => `c${at}`)
        const needsQuotes = (value: string) => /["\r\n,;|\t]/.test(value) || (width === 1 && value === '')
        const render = (value: string, quoted: boolean) =>
          quoted || needsQuotes(value) ? `"${value.replaceAll('"', '""')}"` : value
        const lines = rows.map(({ cells, ending, blanks }, at) => {
          const end = at === rows.length - 1 && !ended ? '' : ending + blanks.join('')
          return cells.map(({ value, quoted }) => render(value, quoted)).join(delimiter) + end
        })
        return {
          text: [mark ? '\ufeff' : '', ...first, header.join(delimiter), '\n', ...lines].join(''),
          header,
          rows: rows.map(({ cells }) => cells.map(({ value }) => value)),
        }
      })
  })

describe('any file, in chunks of any size', () => {
  test('gives exactly the values in it', async () => {
    await fc.assert(
      fc.asyncProperty(files, chunkSizes, async ({ text, header, rows }, sizes) => {
        expect(valuesOf(await readAll(text, csv(...header), sizes))).toEqual(rows)
      }),
      { numRuns: 300 },
    )
  })

  test('comes back byte for byte, with nothing replaced and with everything replaced and put back', async () => {
    await fc.assert(
      fc.asyncProperty(files, chunkSizes, async ({ text, header }, sizes) => {
        expect(written(await readAll(text, csv(...header), sizes)).toString()).toBe(text)
        const some = header.filter((_, at) => at % 2 === 0).reverse()
        for (const columns of [header, some])
          expect((await thereAndBack(text, csv(...columns), sizes)).back.toString()).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  test('can be read again after any replacement, and then holds it', async () => {
    const value = fc.string({ unit: fc.constantFrom(...characters), maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(files, value, async ({ text, header, rows }, replacement) => {
        const changed = written(await readAll(text, csv(header[0] ?? '')), () => replacement)
        const expected = rows.map(([, ...others]) => [replacement, ...others])
        expect(valuesOf(await readAll(changed, csv(...header)))).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

test('any bytes at all are either refused or come back byte for byte, and no error tells what is in them', async () => {
  const parts = ['SECRET', 'a', ',', ',', '"', '"', '""', '\n', '\n', '\r\n', '\r', '\0', '"\0', 'é'].map((part) =>
    Buffer.from(part),
  )
  const bytes = fc.array(fc.constantFrom(...parts, Buffer.from([0xff]), Buffer.from([0xef])), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(bytes, chunkSizes, async (pieces, sizes) => {
      const content = Buffer.concat([Buffer.from('x,y\n'), ...pieces])
      try {
        expect(written(await readAll(content, csv('x', 'y'), sizes))).toEqual(content)
        expect((await thereAndBack(content, csv('x'), sizes)).back).toEqual(content)
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
        expect((error as UserError).message).not.toContain('SECRET')
      }
    }),
    { numRuns: 3000 },
  )
})

describe('the delimiter', () => {
  test.each([
    ['a;b;c\n1;2,5;3\n', ['2,5']],
    ['a\tb\n1\t2\n', ['2']],
    ['a|b,x|c\n1|2|3\n', undefined],
    ['"x;y;z",b\n1,2\n', ['2']],
    ['"x "";"" y",b\n1,2\n', ['2']],
    ['b\n2\n', ['2']],
  ])('is found in the header of %j', async (text, values) => {
    const table = readAll(text, csv('b'))
    if (values) expect(valuesOf(await table)[0]).toEqual(values)
    else await expect(table).rejects.toThrow(/no column "b"\./)
  })

  test('can be given, and is one ASCII character', async () => {
    expect(valuesOf(await readAll('a:b\n1:2\n', { ...csv('b'), delimiter: ':' }))).toEqual([['2']])
    expect(valuesOf(await readAll('a\tb\n1\t2\n', { ...csv('b'), delimiter: '\\t' }))).toEqual([['2']])
    for (const delimiter of ['', '"', ',,', '§', '\n', '\r'])
      await expect(readAll('a,b\n1,2\n', { ...csv('b'), delimiter })).rejects.toThrow(/must be one ASCII character/)
  })
})

describe('the header', () => {
  test('an unknown column is answered with the nearest one, and not with a first line that may hold values', async () => {
    await expect(readAll('id,E-Mail,phone\n', csv('e mail'))).rejects.toThrow(
      'The file has no column "e mail". Did you mean "E-Mail"? The names of its 3 columns are taken from its first line: look whether that is a header.',
    )
    await expect(readAll('id,name\n', csv('passport'))).rejects.toThrow(
      /^The file has no column "passport"\. The names of its 2 columns/,
    )
  })

  test('a column may have any name: line breaks, quotes, a name of objects', async () => {
    const text = '"a, b","x ""y""\n z",__proto__,constructor\n1,2,3,4\n'
    const columns = ['a, b', 'x "y"\n z', '__proto__', 'constructor']
    expect(valuesOf(await readAll(text, csv(...columns), [1]))).toEqual([['1', '2', '3', '4']])
    expect((await thereAndBack(text, csv(...columns))).back.toString()).toBe(text)
  })

  test('a column that is there twice is refused as subject too, and ignored where it is not named', async () => {
    await expect(readAll('a,b,b\n', { ...csv('a'), subject: 'b' })).rejects.toThrow(/more than one column "b"/)
    expect(valuesOf(await readAll('a,b,b\n1,2,3\n', csv('a')))).toEqual([['1']])
  })

  test('invalid bytes in it are refused with the cell', async () => {
    const header = Buffer.from('id,caf\xe9,x\n1,2,3\n', 'latin1')
    await expect(readAll(header, csv('id'))).rejects.toThrow(/^The header, cell 2: byte 0xE9 is not valid UTF-8/)
  })

  test.each([
    ['a,"b\n1,2\n', /^The header \(line 1\): a quote that opens in it is never closed/],
    ['a,b"c\n1,2\n', /^The header \(line 1\): a quote stands where none may be/],
    ['a,b\r1,2\r3,4\r', /bare carriage return/],
    ['i\0d\0,\0x\0\n\0', /--encoding utf-16le/],
    ['\ufeff', /file is empty/],
    [' \r\n\n\t\n', /file is empty/],
    [`a,"${'b'.repeat(2 * 1024 * 1024)}`, /header \(line 1\) is longer than 1 MiB/],
  ])('%#: a broken one is refused', async (text, message) => {
    await expect(readAll(text, csv('a'))).rejects.toThrow(message)
  })

  test('options that contradict themselves are refused', async () => {
    await expect(readAll('a,b\n', csv('a', 'a'))).rejects.toThrow(/"a" is named twice/)
    await expect(readAll('a,b\n', { ...csv('a'), subject: 'a' })).rejects.toThrow(/both the subject/)
  })
})

describe('rows', () => {
  test('are numbered without blank lines, and know the line they start in', async () => {
    const { rows } = await readAll('\n\na,b\n\n1,"x\n\r\ny"\n\r\n\n2,z\n3\n', csv('a'), [1])
    expect(rows.map(({ number, line }) => [number, line])).toEqual([
      [1, 5],
      [2, 10],
      [3, 11],
    ])
    expect(rows[2]?.problem?.message).toBe('row 3 (line 11) has 1 cell, the header has 2')
  })

  test('carry the blank lines after them, and the preamble those after the header', async () => {
    const table = await readAll('a\n\r\n1\n\n\n2\n\r\n', csv('a'), [1])
    expect([table.preamble, ...table.rows.map((row) => row.render([]))].map(String)).toEqual([
      'a\n\r\n',
      '1\n\n\n',
      '2\n\r\n',
    ])
  })

  test('of one empty cell are values when quoted, blank lines when not; written, the value is quoted', async () => {
    const table = await readAll('a\n""\n\nx\n', csv('a'))
    expect(valuesOf(table)).toEqual([[''], ['x']])
    expect(written(table, () => '').toString()).toBe('a\n""\n\n""\n')
  })

  test('give their subject, and none where the cell is empty', async () => {
    const { rows } = await readAll('a,s\n1,cust-17\n2,\n3,"é"\n', { ...csv('a'), subject: 's' })
    expect(rows.map(({ subject }) => subject)).toEqual(['cust-17', undefined, 'é'])
  })

  test('keep the quotes of a cell, and get them where the new text needs them', async () => {
    const table = await readAll('a,b\n"1",2\n3,4\n', csv('a', 'b'))
    const replaced = written(table, (value) => ({ '1': 'x', '2': 'y,z', '3': 'say "hi"', '4': 'two\nlines' })[value])
    expect(replaced.toString()).toBe('a,b\n"x","y,z"\n"say ""hi""","two\nlines"\n')
  })

  test('of an unquoted carriage return: the cell is refused, for many readers end the row there', async () => {
    const table = await readAll('a,b\nx\ry,"x\ry"\n', csv('a', 'b'))
    expect(valuesOf(table)).toEqual([['<unquoted_carriage_return>', 'x\ry']])
  })

  test.each([
    ['a,b\n1,2\n3,x"y\n5,6\n', /^Row 2 \(line 3\): a quote stands where none may be/],
    ['a,b\n1,2\n\n3,"x"y\n5,6\n', /^Row 2 \(line 4\): a quote stands where none may be/],
    ['a,b\n1,2\n3,"x"\0y\n', /^Row 2 \(line 3\): a quote stands where none may be/],
    ['a,b\n1,2\n3,"x"\0\n', /^Row 2 \(line 3\): a quote stands where none may be/],
    ['a,b\n1,"2\n3"\n"x,4\n', /^Row 2 \(line 4\): a quote that opens in this row is never closed/],
    ['a,b\n1,\xff\n3,"x', /^Row 1 \(line 2\), column "b": byte 0xC3/],
  ])('%#: broken ones are refused with row and line', async (text, message) => {
    const content = text.includes('\xff') ? Buffer.from(text.replace('\xff', '\xc3'), 'latin1') : text
    for (const sizes of [[1], [64 * 1024]]) await expect(readAll(content, csv('a'), sizes)).rejects.toThrow(message)
  })

  test('a row over 16 MiB is refused before it fills the memory, and names where it starts', async () => {
    async function* endless() {
      yield Buffer.from('a,b\n1,2\n3,"')
      for (;;) yield Buffer.alloc(64 * 1024, 'x\n')
    }
    await expect(scanTable(endless(), csv('a'))).rejects.toThrow(
      /^Row 2 \(line 3\) is longer than 16 MiB.*never closed/,
    )
  })
})

test('an input is read only as rows are pulled, and let go when the caller stops', async () => {
  let given = 0
  let closed = false
  async function* source() {
    try {
      yield Buffer.from('a,b\n')
      for (;;) {
        given++
        yield Buffer.from('1,2\n3,4\n')
      }
    } finally {
      closed = true
    }
  }
  const { rows } = await readTable(source(), csv('a'))
  for await (const batch of rows) {
    expect(batch.length).toBeLessThanOrEqual(2)
    if (given >= 5) break
  }
  expect({ given, closed }).toEqual({ given: 5, closed: true })
})
