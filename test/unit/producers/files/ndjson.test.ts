import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scanTable } from '../../../../producers/files/index.ts'
import { membersOf } from '../../../../producers/files/json-members.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { chunked, readAll, thereAndBack, valuesOf, written } from './support.ts'

const ndjson = (...columns: string[]) => ({ format: 'ndjson', columns }) as const
const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 8 })
const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\r'), maxLength: 2 })
const characters = [...'ab"\\/{}[]:,\0\n é漢𝄞', '\u2028', '\ufeff', '\x7f', 'email', '__proto__']

/** A string as JSON, each character by itself, as it is or escaped. */
const stringLiteral = fc
  .array(fc.tuple(fc.constantFrom(...characters), fc.boolean()), { maxLength: 6 })
  .map(
    (parts) =>
      `"${parts.map(([text, escaped]) => (escaped ? escapeAll(text) : JSON.stringify(text).slice(1, -1))).join('')}"`,
  )

/** None with a backslash in it: V8 14.6 takes the key `\n` for one of a backslash that it saw before in that place. */
const keyLiteral = stringLiteral.filter((literal) => !JSON.parse(literal).includes('\\'))

function escapeAll(text: string): string {
  return Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join(
    '',
  )
}

const { value: jsonText } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    stringLiteral,
    fc.constantFrom('12345678901234567890', '-0.10e+5', 'true', 'false', 'null', '1E400'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' , ')}]`),
    fc
      .array(fc.tuple(keyLiteral, tie('value')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, value]) => `${key}: ${value}`).join(',')}}`),
  ),
}))

const key = fc.oneof(keyLiteral, fc.constantFrom('"email"', '"\\u0065mail"', '"__proto__"', '"a b"'))
const object = fc
  .tuple(space, fc.array(fc.tuple(space, key, space, space, jsonText, space), { maxLength: 5 }), space)
  .map(([before, members, after]) => {
    const body = members.map(([a, name, b, c, value, d]) => `${a}${name}${b}:${c}${value}${d}`).join(',')
    return `${before}{${body || ' '}}${after}`
  })

describe('any objects, in chunks of any size', () => {
  test('have the members that JSON.parse finds, where they stand', () => {
    fc.assert(
      fc.property(object, (text) => {
        const found = membersOf(text).map((member) => [member.key, JSON.parse(text.slice(member.start, member.end))])
        expect(Object.fromEntries(found)).toEqual(JSON.parse(text))
      }),
      { numRuns: 2000 },
    )
  })

  test('come back byte for byte with nothing replaced, and the same values after being replaced and put back', async () => {
    const lines = fc.array(fc.tuple(object, fc.constantFrom('\n', '\r\n', '\n\n', '\n \t\r\n')), {
      minLength: 1,
      maxLength: 6,
    })
    await fc.assert(
      fc.asyncProperty(lines, fc.boolean(), fc.boolean(), chunkSizes, async (parts, mark, ended, sizes) => {
        const body = parts.map(([text, ending]) => text + ending).join('')
        // One row that has all columns, for a column that occurs nowhere is refused.
        const text = `${mark ? '\ufeff' : ''}{"email":"e","__proto__":"p","a b":""}\n${ended ? body : body.trimEnd()}`
        const options = ndjson('a b', 'email', '__proto__')
        expect(written(await readAll(text, options, sizes)).toString()).toBe(text)
        const { back } = await thereAndBack(text, options, sizes)
        expect(valuesOf(await readAll(back, options))).toEqual(valuesOf(await readAll(text, options)))
        expect(back.toString().split('\n').map(parsed)).toEqual(text.split('\n').map(parsed))
      }),
      { numRuns: 500 },
    )
  })
})

function parsed(line: string): unknown {
  return line.trim() === '' ? line : JSON.parse(line.replace(/^\ufeff/, ''))
}

test('any bytes at all are either refused or come back byte for byte, and no error or problem tells what is in them', async () => {
  const parts = [
    'SECRET',
    '{"x":"',
    '{"x":"SECRET"}',
    '"',
    '"}',
    '{',
    '}',
    '\n',
    '\r\n',
    ':',
    ',',
    '[',
    '\\',
    '\\"',
    '1',
    'é',
    '\0',
  ]
  const bytes = fc.array(fc.constantFrom(...parts.map((part) => Buffer.from(part)), Buffer.from([0xff])), {
    maxLength: 20,
  })
  await fc.assert(
    fc.asyncProperty(bytes, chunkSizes, async (pieces, sizes) => {
      const content = Buffer.concat([Buffer.from('{"x":"y"}\n'), ...pieces])
      try {
        const table = await readAll(content, ndjson('x'), sizes)
        expect(written(table)).toEqual(content)
        for (const { problem } of table.rows) expect(problem?.message ?? '').not.toContain('SECRET')
      } catch (error) {
        expect(error).toBeInstanceOf(UserError)
        expect((error as UserError).message).not.toContain('SECRET')
      }
    }),
    { numRuns: 2000 },
  )
})

test('keys are told apart whatever their escapes, also those that JSON.parse mistakes for one another', () => {
  for (const text of ['{"\\\\":1}', '{"\\n":1}', '{"\\u0041":1}'])
    expect(membersOf(text).map((member) => member.key)).toEqual([JSON.parse(text.slice(1, -3))])
})

describe('a named key', () => {
  test.each([
    ['{"email":"a"}', ['a']],
    ['{"\\u0065mail":"a"}', ['a']],
    ['{"x":{"email":"no"},"email":"a","y":[{"email":"no"}]}', ['a']],
    ['{"x":"email","email" : "a"}', ['a']],
    ['{"email":"a","\\u0065mail":"b"}', ['<repeated_key>']],
    ['{"email":null,"email":"b"}', ['<repeated_key>']],
    ['{"x":1,"x":2,"email":"a"}', ['a']],
    ['{"email":null}', ['<absent>']],
    ['{"Email":"a"}', ['<absent>']],
    ['{"email":true}', ['<not_a_string>']],
    ['{"email":{}}', ['<not_a_string>']],
    ['{"email":["a"]}', ['<not_a_string>']],
    ['{"email":"\\ud800"}', ['\ud800']],
    ['{"email":"\\"\\\\"}', ['"\\']],
  ])('in %s', async (line, values) => {
    const table = await readAll(`{"email":""}\n${line}\n`, ndjson('email'))
    expect(valuesOf(table)[1]).toEqual(values)
    const replaced =
      written(table, () => 'é"')
        .toString()
        .split('\n')[1] ?? ''
    if (values[0] === '<absent>' || values[0] === '<not_a_string>') expect(replaced).toBe(line)
    else if (!values[0]?.startsWith('<')) expect(JSON.parse(replaced)).toEqual({ ...JSON.parse(line), email: 'é"' })
  })

  test('that is repeated is replaced wherever it is a string, so that none is left in the open', async () => {
    const table = await readAll('{"email":"a","x":"email","\\u0065mail":"b","email":3}', ndjson('email'))
    expect(written(table, () => 'no value, so not asked').toString()).toContain('"a"')
    expect(table.rows[0]?.render(['']).toString()).toBe('{"email":"","x":"email","\\u0065mail":"","email":3}')
  })

  test('that occurs in no row is refused with the keys there are', async () => {
    await expect(scanTable(chunked(Buffer.from('{"id":1,"e-mail":"a"}\n[]\n')), ndjson('email'))).rejects.toThrow(
      'The file has no column "email". Did you mean "e-mail"? It has: "id", "e-mail".',
    )
    expect(await scanTable(chunked(Buffer.from('{"id":1}\n{"email":null}\n')), ndjson('email'))).toMatchObject({
      rows: 2,
    })
  })
})

describe('lines', () => {
  test('with a problem are reported, each with its line, and keep their bytes', async () => {
    const text = '\n{"a":"1"}\n[1]\n\n"x"\n{"a":"1"} {"a":"2"}\n{a:1}\n\ufeff{"a":"1"}\n{"a":"2"}'
    const table = await readAll(text, ndjson('a'))
    expect(table.rows.map(({ number, line, problem }) => [number, line, problem?.code])).toEqual([
      [1, 2, undefined],
      [2, 3, 'not_an_object'],
      [3, 5, 'not_an_object'],
      [4, 6, 'not_json'],
      [5, 7, 'not_json'],
      [6, 8, 'not_json'],
      [7, 9, undefined],
    ])
    expect(written(table).toString()).toBe(text)
  })

  test('keep a byte order mark at the start, a CR before the LF, blank lines and a missing last newline', async () => {
    const text = '\ufeff \n\r\n{"a":"1"}\r\n \n\n{"a": "2" }'
    expect((await thereAndBack(text, ndjson('a'), [1])).back.toString()).toBe(text)
  })

  test('with invalid bytes are refused with row, line and byte', async () => {
    const content = Buffer.from('{"a":"1"}\n\n{"a":"caf\xe9"}\n', 'latin1')
    for (const sizes of [[1], [1000]])
      await expect(readAll(content, ndjson('a'), sizes)).rejects.toThrow(
        /^Row 2 \(line 3\): byte 0xE9 is not valid UTF-8/,
      )
  })

  test('give a subject from a string or a number; what is neither is a problem of the row', async () => {
    const lines = ['"cust-17"', '12345678901234567890', 'null', '""', 'true', '{}', '"a","s":"b"']
    const text = ['{"a":"0"}', ...lines.map((value) => `{"a":"1","s":${value}}`)].join('\n')
    const { rows } = await readAll(text, { ...ndjson('a'), subject: 's' })
    expect(rows.map(({ subject, problem }) => problem?.code ?? subject)).toEqual([
      undefined,
      'cust-17',
      '12345678901234567890',
      undefined,
      undefined,
      'bad_subject',
      'bad_subject',
      'bad_subject',
    ])
  })

  test('over 16 MiB are refused before they fill the memory', async () => {
    async function* endless() {
      yield Buffer.from('{"a":"1"}\n{"a":"')
      for (;;) yield Buffer.alloc(64 * 1024, 'x')
    }
    await expect(scanTable(endless(), ndjson('a'))).rejects.toThrow(/^Row 2 \(line 2\) is longer than 16 MiB/)
  })

  test('nested a hundred thousand deep are read', async () => {
    const text = `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)},"a":"1"}\n`
    expect((await thereAndBack(text, ndjson('a'))).back.toString()).toBe(text)
  })

  test('none at all is an empty file', async () => {
    for (const text of ['', '\ufeff', '\n \r\n'])
      await expect(readAll(text, ndjson('a'))).rejects.toThrow(/file is empty/)
  })
})

test('what may hold text can be blanked, objects and arrays whole; numbers keep their digits', async () => {
  const line = '{"a":{"b":"x"},"c":["x"],"d":12345678901234567890,"e":true,"d":"x"}\n'
  const { rows } = await readAll(line, ndjson('a', 'c', 'd', 'e'))
  expect(rows[0]?.render(['', '', '', '']).toString()).toBe(
    '{"a":"","c":"","d":12345678901234567890,"e":true,"d":""}\n',
  )
})
