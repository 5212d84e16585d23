import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ContentRefused, ShuttingDown, Unavailable } from '../../../shared/errors/server-errors.ts'
import { bisect } from '../../../workers/bisect.ts'

const range = (length: number) => Array.from({ length }, (_, i) => i)

/** A server that refuses a batch with any of these items in it. */
function refusing(poison: ReadonlySet<number>) {
  const calls: (readonly number[])[] = []
  const run = async (items: readonly number[]): Promise<string[]> => {
    calls.push(items)
    if (items.some((item) => poison.has(item))) throw new ContentRefused('transit', 400)
    return items.map((item) => `ok ${item}`)
  }
  return { calls, run }
}
const poisonous = (item: number) => `poisonous ${item}`

test('a batch without poison is one call', async () => {
  const { calls, run } = refusing(new Set())
  expect(await bisect(range(20), run, poisonous)).toEqual(range(20).map((i) => `ok ${i}`))
  expect(calls).toHaveLength(1)
})

test('exactly the poisonous items fail, wherever and however many they are, and the order is kept', async () => {
  const cases = fc
    .integer({ min: 1, max: 400 })
    .chain((length) => fc.tuple(fc.constant(length), fc.uniqueArray(fc.nat(length - 1))))
  await fc.assert(
    fc.asyncProperty(cases, async ([length, positions]) => {
      const poison = new Set(positions)
      const { calls, run } = refusing(poison)
      const expected = range(length).map((i) => (poison.has(i) ? poisonous(i) : `ok ${i}`))
      expect(await bisect(range(length), run, poisonous)).toEqual(expected)
      expect(calls.length).toBeLessThanOrEqual(1 + 2 * poison.size * Math.ceil(Math.log2(Math.max(2, length))))
    }),
  )
})

test.each(range(20))('one poisonous item among 20, at %i, costs at most 11 calls', async (position) => {
  const { calls, run } = refusing(new Set([position]))
  await bisect(range(20), run, poisonous)
  expect(calls.length).toBeLessThanOrEqual(11)
})

describe('other errors pass through, and stop it', () => {
  test.each([new Unavailable('transit', 'unreachable'), new ShuttingDown(), new Error('a defect')])(
    '%s',
    async (error) => {
      let calls = 0
      const run = async (): Promise<string[]> => {
        calls++
        throw calls === 1 ? new ContentRefused('transit', 400) : error
      }
      await expect(bisect(range(20), run, poisonous)).rejects.toBe(error)
      expect(calls).toBe(2)
    },
  )
})

test('ends on an empty batch and on items that are undefined', async () => {
  const run = async (): Promise<string[]> => {
    throw new ContentRefused('transit', 400)
  }
  expect(await bisect([], run, () => 'poisonous')).toEqual([])
  expect(await bisect([undefined, undefined], run, () => 'poisonous')).toEqual(['poisonous', 'poisonous'])
})
