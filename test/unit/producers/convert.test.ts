import { describe, expect, test } from 'vitest'
import type { Conversion, Converted } from '../../../producers/convert.ts'
import { convert } from '../../../producers/convert.ts'
import { readTable } from '../../../producers/files/index.ts'
import type { Client, TokenizeItem } from '../../../producers/index.ts'
import { RequestFailed } from '../../../producers/index.ts'
import { until } from '../../harness/until.ts'

/* How a table is cut into requests and put together again, with a client that answers when the test says so. */

interface Asked {
  readonly items: readonly TokenizeItem[]
  readonly signal: AbortSignal
  readonly answer: () => void
  readonly fail: () => void
}

/** Each request waits for the test, or for its signal. */
function slowClient() {
  const asked: Asked[] = []
  const tokenize: Client['tokenize'] = (items, { signal }) =>
    new Promise((resolve, reject) => {
      asked.push({
        items,
        signal: signal as AbortSignal,
        answer: () => resolve(items.map(({ value }) => ({ ok: true, token: `<${value}>` }))),
        fail: () => reject(new RequestFailed('unavailable')),
      })
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
  return { client: { tokenize } as Client, asked }
}

const conversion: Conversion = {
  direction: 'tokenize',
  fields: ['email'],
  request: { purpose: 'test' },
  keepFailed: false,
}
const table = (input: AsyncIterable<Buffer>) => readTable(input, { format: 'csv', columns: ['email'] })

async function* csv(rows: number, value = (i: number) => `${i}`): AsyncGenerator<Buffer> {
  yield Buffer.from('email\n')
  for (let i = 0; i < rows; i++) yield Buffer.from(`${value(i)}\n`)
}

/** Some rows, and then nothing, for ever. */
async function* endless(rows: number): AsyncGenerator<Buffer> {
  yield* csv(rows)
  await new Promise(() => undefined)
}

async function collected(pieces: AsyncIterable<Converted>): Promise<Converted[]> {
  const all: Converted[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

const settled = () => new Promise((resolve) => setImmediate(resolve))
const askedFor = async (asked: Asked[], count: number) => {
  await until(`${count} are asked for`, () => asked.length >= count)
  for (let i = 0; i < 10; i++) await settled()
  expect(asked.length).toBe(count)
}

test('no more than 24 requests of 200 items are under way, however large the table', async () => {
  const { client, asked } = slowClient()
  const pieces = convert(client, await table(csv(6_000)), conversion)
  await pieces.next() // the header
  const first = pieces.next()
  await askedFor(asked, 24)
  expect(asked.map(({ items }) => items.length)).toEqual(Array(24).fill(200))
  asked[0]?.answer()
  expect((await first).value).toMatchObject({ rows: 200, items: 200 })
  const second = pieces.next()
  await askedFor(asked, 25)
  asked[1]?.answer()
  await second
  await pieces.return(undefined)
})

test('answers keep the order of the rows, in whatever order they come', async () => {
  const { client, asked } = slowClient()
  const all = collected(convert(client, await table(csv(500)), conversion))
  await askedFor(asked, 3)
  for (const { answer } of asked.toReversed()) answer()
  const lines = Buffer.concat((await all).map(({ bytes }) => bytes))
    .toString()
    .split('\n')
  expect(lines).toEqual(['email', ...Array.from({ length: 500 }, (_, i) => `<${i}>`), ''])
})

test('requests of large values are small', async () => {
  const { client, asked } = slowClient()
  const large = 'x'.repeat(60_000)
  const all = collected(convert(client, await table(csv(20, () => large)), conversion))
  await askedFor(asked, 3)
  expect(asked.map(({ items }) => items.length)).toEqual([8, 8, 4])
  for (const { answer } of asked) answer()
  await all
})

describe('while the input waits for more', () => {
  test('what was answered is given out', async () => {
    const { client, asked } = slowClient()
    const pieces = convert(client, await table(endless(410)), conversion)
    await pieces.next()
    const first = pieces.next()
    await askedFor(asked, 2)
    asked[0]?.answer()
    expect((await first).value).toMatchObject({ rows: 200 })
    void pieces.return(undefined)
  })

  test('a request that fails ends it, and lets the others go', async () => {
    const { client, asked } = slowClient()
    const pieces = convert(client, await table(endless(410)), conversion)
    await pieces.next()
    const first = pieces.next()
    await askedFor(asked, 2)
    asked[0]?.fail()
    await expect(first).rejects.toThrow(RequestFailed)
    expect(asked[1]?.signal.aborted).toBe(true)
  })
})
