import { expect, test } from 'vitest'
import { verdictOn, verdictsOn } from '../../../bench/report/verdicts.ts'
import type { Row } from '../../../bench/scorecard.ts'
import { scorecard } from '../../../bench/scorecard.ts'

const row = (direction: Row['direction'], bound: Row['bound']): Row => ({ id: 'a', what: 'a figure', direction, bound })

test('a row for each figure of the table, in its order, also where nothing was measured', () => {
  const verdicts = verdictsOn([])
  expect(verdicts).toHaveLength(14)
  expect(verdicts.map(({ id }) => id)).toEqual(scorecard.map(({ id }) => id))
  expect(verdicts.every(({ value, met }) => value === null && met === null)).toBe(true)
})

test.each([
  ['atLeast', 0.4, true],
  ['atLeast', 0.399, false],
  ['atMost', 0.4, true],
  ['atMost', 0.401, false],
  ['below', 0.4, false],
  ['below', 0.399, true],
] as const)('%s 0.4: %f is met: %s', (direction, value, met) => {
  expect(verdictOn(row(direction, 0.4), { value }).met).toBe(met)
})

test('a row with two bounds is met only where both are', () => {
  const two = row('atLeast', { jobsOf20: 20, jobsOf1: 18 })
  expect(verdictOn(two, { value: { jobsOf20: 20, jobsOf1: 18.4 } }).met).toBe(true)
  expect(verdictOn(two, { value: { jobsOf20: 20, jobsOf1: 17 } }).met).toBe(false)
  expect(verdictOn(two, { value: { jobsOf20: 20 } }).met).toBe(false)
})

test('a further condition that does not hold is not met, whatever the value', () => {
  expect(verdictOn(row('atMost', 200), { value: 100, holds: false }).met).toBe(false)
})

test("a figure's own bound takes the place of the row's", () => {
  const judged = verdictOn(row('below', 10), { value: 12, bound: 14, note: 'a noisy machine' })
  expect(judged).toMatchObject({ met: true, bound: 14, note: 'a noisy machine' })
})

test('a value whose parts are not those of its bound is a defect', () => {
  expect(() => verdictOn(row('atMost', 4), { value: { p50: 1 } })).toThrow(TypeError)
})
