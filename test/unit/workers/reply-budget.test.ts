import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ReplyBudget } from '../../../workers/reply-budget.ts'

const MiB = 1_048_576

/** What each item hears, asked in this order of turns. */
async function take(sizes: readonly number[], order: readonly number[] = [...sizes.keys()]): Promise<boolean[]> {
  const budget = new ReplyBudget()
  const answers: Promise<boolean>[] = []
  for (const turn of order) answers[turn] = budget.take(turn, sizes[turn] ?? 0)
  return Promise.all(answers)
}

test('ciphertexts of exactly 1 MiB fit, and one byte more does not', async () => {
  expect(await take([MiB])).toEqual([true])
  expect(await take([MiB + 1])).toEqual([false])
  expect(await take([MiB - 10, 10])).toEqual([true, true])
  expect(await take([MiB - 10, 11])).toEqual([true, false])
})

test('an item without a value always fits, before the cut and behind it', async () => {
  expect(await take([0, MiB, 0, 1, 0])).toEqual([true, true, true, false, true])
})

test('the cut is at one place: nothing fits behind what did not, however small', async () => {
  expect(await take([MiB - 10, 11, 1, 5])).toEqual([true, false, false, false])
})

test('an item waits for those before it', async () => {
  const budget = new ReplyBudget()
  let answered = false
  const second = budget.take(1, 10).then((fits) => {
    answered = true
    return fits
  })
  await new Promise(setImmediate)
  expect(answered).toBe(false)
  void budget.take(0, MiB - 9)
  expect(await second).toBe(false)
})

test('in whatever order the items ask, the answers are those of the order of the items', async () => {
  const sizes = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: 1, max: MiB / 4 })), { maxLength: 40 })
  const cases = sizes.chain((each) =>
    fc.tuple(fc.constant(each), fc.shuffledSubarray([...each.keys()], { minLength: each.length })),
  )
  await fc.assert(
    fc.asyncProperty(cases, async ([each, order]) => {
      const answers = await take(each, order)
      expect(answers).toEqual(await take(each))
      const given = each.filter((_, i) => answers[i]).reduce((sum, size) => sum + size, 0)
      expect(given).toBeLessThanOrEqual(MiB)
      const cut = answers.indexOf(false)
      if (cut !== -1) expect(each.slice(0, cut + 1).reduce((sum, size) => sum + size, 0)).toBeGreaterThan(MiB)
    }),
  )
})
