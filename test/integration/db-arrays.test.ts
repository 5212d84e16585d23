import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { uuidToBytes } from '../../shared/crypto/uuid.ts'
import { byteas, integers, smallints, texts, uuids } from '../../shared/db/arrays.ts'

/* Arrays in binary, as a real Postgres reads them. */

let postgres: Client

beforeAll(async () => {
  postgres = new Client({ connectionString: inject('stack').databaseUrl })
  await postgres.connect()
})
afterAll(() => postgres.end())

async function read(type: string, array: Buffer, as = 'value'): Promise<unknown[]> {
  const sql = `select ${as} as value from unnest($1::${type}[]) with ordinality as given (value, place) order by place`
  return (await postgres.query<{ value: unknown }>(sql, [array])).rows.map(({ value }) => value)
}

const orNull = <T>(values: readonly (T | undefined)[]) => values.map((value) => value ?? null)
const integer = (bits: number) => fc.integer({ min: -(2 ** (bits - 1)), max: 2 ** (bits - 1) - 1 })
const some = <T>(value: fc.Arbitrary<T>) => fc.array(fc.option(value, { nil: undefined }), { maxLength: 40 })
const text = fc.string({ unit: 'binary' }).filter((it) => it.isWellFormed() && !it.includes('\0'))

test('texts come back as they were, whatever they hold', async () => {
  const traps = ['', 'NULL', '{}', '"', '\\', ',', '\\x00', '\u{1f600}', ' ', '{"a","b"}', undefined]
  expect(await read('text', texts(traps))).toEqual(orNull(traps))
  await fc.assert(
    fc.asyncProperty(some(text), async (values) => {
      expect(await read('text', texts(values))).toEqual(orNull(values))
    }),
  )
})

test('bytes come back as they were', async () => {
  const bytes = some(fc.uint8Array({ maxLength: 300 }).map((it) => Buffer.from(it)))
  await fc.assert(
    fc.asyncProperty(bytes, async (values) => {
      expect(await read('bytea', byteas(values))).toEqual(orNull(values))
    }),
  )
})

test('numbers come back as they were, to the ends of their range', async () => {
  await fc.assert(
    fc.asyncProperty(some(integer(32)), some(integer(16)), async (large, small) => {
      expect(await read('integer', integers(large))).toEqual(orNull(large))
      expect(await read('smallint', smallints(small))).toEqual(orNull(small))
    }),
  )
  expect(await read('integer', integers([2_147_483_647, -2_147_483_648]))).toEqual([2_147_483_647, -2_147_483_648])
  expect(() => integers([2_147_483_648])).toThrow(RangeError)
  expect(() => smallints([32_768])).toThrow(RangeError)
})

test('uuids come back as they were', async () => {
  const bytes = Array.from({ length: 400 }, () => randomBytes(16))
  const values = (await read('uuid', uuids([...bytes, undefined]))) as (string | null)[]
  expect(values.pop()).toBeNull()
  expect(values.map((value) => uuidToBytes(value as string))).toEqual(bytes)
  for (const length of [0, 15, 17]) expect(() => uuids([Buffer.alloc(length)])).toThrow(RangeError)
})

test('an empty array is one', async () => {
  for (const [type, array] of [
    ['text', texts([])],
    ['uuid', uuids([])],
    ['integer', integers([])],
  ] as const) {
    expect((await postgres.query(`select cardinality($1::${type}[]) as length`, [array])).rows).toEqual([{ length: 0 }])
  }
})

test('a text that Postgres cannot hold is refused by it, as before: the whole statement, with a class that is bisected', async () => {
  await expect(read('text', texts(['fine', 'with \0']))).rejects.toMatchObject({ code: '22021' })
})
