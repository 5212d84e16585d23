import fc from 'fast-check'
import { expect } from 'vitest'
import type { TableOptions } from '../../producers/files/index.ts'
import { UserError } from '../../shared/errors/user-error.ts'
import { readAll, written } from '../unit/producers/files/support.ts'
import { canary, damaged, fuzz, hostileText } from './fuzz.ts'

// Any bytes as a file. What can be read comes back byte for byte; what cannot is said, without anything that stood there.

const bytesOf = (pieces: fc.Arbitrary<string | Uint8Array>): fc.Arbitrary<Buffer> =>
  fc.array(pieces, { maxLength: 40 }).map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))))
const chunkSizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })
const rawBytes = fc.uint8Array({ minLength: 1, maxLength: 3 })

async function readOrSay(file: Buffer, options: TableOptions, sizes: number[]): Promise<void> {
  try {
    const table = await readAll(file, options, sizes)
    expect(written(table).equals(file)).toBe(true)
    const all = table.rows.map(({ problem }) => problem?.message).join()
    expect(all).not.toContain(canary)
  } catch (error) {
    expect(error).toBeInstanceOf(UserError)
    expect((error as UserError).message).not.toContain(canary)
  }
}

const csvPieces = fc.oneof(
  fc.constantFrom(',', ';', '\t', '|', '"', '""', '\n', '\r\n', '\r', ' ', '\0', '\ufeff', '=', 'é', canary),
  hostileText,
  rawBytes,
)
const csv: TableOptions = { format: 'csv', columns: ['email'], subject: 'id' }
const csvFile = 'id,email,note\n1,ann@example.com,"a ""b"" c"\n\n2,"b\nc",\r\n'

fuzz(
  'CSV: any bytes behind a header',
  fc.asyncProperty(bytesOf(csvPieces), chunkSizes, (rest, sizes) =>
    readOrSay(Buffer.concat([Buffer.from('id,email,note\n'), rest]), csv, sizes),
  ),
)

fuzz(
  'CSV: any bytes at all, under any encoding that is asked for',
  fc.asyncProperty(bytesOf(csvPieces), chunkSizes, async (file, sizes) => {
    await readOrSay(file, { format: 'csv', columns: ['email'] }, sizes)
    const utf16 = { format: 'csv', columns: ['email'], encoding: 'utf-16le' } as const
    await readAll(file, utf16, sizes).catch((error: unknown) => {
      expect(error).toBeInstanceOf(UserError)
      expect((error as UserError).message).not.toContain(canary)
    })
  }),
)

fuzz(
  'CSV: a good file, damaged',
  fc.asyncProperty(damaged(Buffer.from(csvFile)), chunkSizes, (file, sizes) => readOrSay(file, csv, sizes)),
)

const ndjsonPieces = fc.oneof(
  fc.constantFrom(
    '{"email":"a"}\n',
    '{"email":',
    '"',
    '\\',
    '\\ud800',
    '{',
    '}',
    '[',
    ',',
    ':',
    '\n',
    '\r\n',
    'null',
    '1e999',
  ),
  fc.constantFrom('{"email":"x","email":"y"}\n', '{"__proto__":{"email":"a"}}\n', `"${canary}"`, '\ufeff', '\0'),
  fc.json({ maxDepth: 2 }),
  hostileText,
  rawBytes,
)
const ndjson: TableOptions = { format: 'ndjson', columns: ['email'] }
const ndjsonFile =
  '{"id":1,"email":"ann@example.com","n":1.50}\n\n{ "email" : "\\u00e9", "x":{"email":"no"}}\r\n{"email":null}'

fuzz(
  'NDJSON: any bytes behind a row',
  fc.asyncProperty(bytesOf(ndjsonPieces), chunkSizes, (rest, sizes) =>
    readOrSay(Buffer.concat([Buffer.from('{"email":"a"}\n'), rest]), ndjson, sizes),
  ),
)

fuzz(
  'NDJSON: a good file, damaged',
  fc.asyncProperty(damaged(Buffer.from(ndjsonFile)), chunkSizes, (file, sizes) => readOrSay(file, ndjson, sizes)),
)
