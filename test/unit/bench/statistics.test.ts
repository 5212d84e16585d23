import fc from 'fast-check'
import { expect, test } from 'vitest'
import { latencyOf, median, percentile, spreadOf, spreadOver } from '../../../bench/measure/statistics.ts'

const oneTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const samples = fc.array(fc.double({ noNaN: true, min: -1e12, max: 1e12 }), { minLength: 1, maxLength: 200 })
const share = fc.double({ min: 0, max: 1, minExcluded: true, noNaN: true })

test('known values', () => {
  expect(spreadOf([3, 1, 2])).toEqual({ median: 2, min: 1, max: 3, count: 3 })
  expect(median([4, 1, 3, 2])).toBe(2.5)
  expect(latencyOf(oneTo(100))).toEqual({ count: 100, p50: 50, p95: 95, p99: 99, max: 100 })
  expect(latencyOf(oneTo(1_000))).toMatchObject({ p50: 500, p95: 950, p99: 990 })
  expect(percentile([15, 20, 35, 40, 50], 0.3)).toBe(20)
  expect(percentile([15, 20, 35, 40, 50], 1)).toBe(50)
})

test('a rank that is whole but for rounding is that rank', () => {
  for (const hundredth of oneTo(100)) expect(percentile(oneTo(100), hundredth / 100)).toBe(hundredth)
})

test('one sample is every figure of it', () => {
  expect(spreadOf([7])).toEqual({ median: 7, min: 7, max: 7, count: 1 })
  expect(latencyOf([7])).toEqual({ count: 1, p50: 7, p95: 7, p99: 7, max: 7 })
})

test('samples are sorted as numbers, and stay as they were', () => {
  const unsorted = [10, 9, 100, -1]
  expect(spreadOf(unsorted)).toMatchObject({ min: -1, max: 100, median: 9.5 })
  expect(unsorted).toEqual([10, 9, 100, -1])
})

test('nothing measured, no number, and no share are refused', () => {
  for (const figure of [spreadOf, latencyOf, median]) expect(() => figure([])).toThrow('nothing was measured')
  expect(() => spreadOf([1, Number.NaN])).toThrow(RangeError)
  expect(() => latencyOf([Number.POSITIVE_INFINITY])).toThrow(RangeError)
  for (const wrong of [0, -0.1, 1.01, Number.NaN]) expect(() => percentile([1], wrong)).toThrow(RangeError)
})

test('a figure that one of the results lacks is not measured', () => {
  const results = [{ cpu: 1 }, { cpu: undefined }, { cpu: 3 }]
  expect(spreadOver(results, ({ cpu }) => cpu)).toBeUndefined()
  expect(spreadOver([], () => 1)).toBeUndefined()
  expect(spreadOver([{ cpu: 1 }, { cpu: 3 }], ({ cpu }) => cpu)?.median).toBe(2)
})

test('a percentile was seen, and at least its share of the samples is not above it', () => {
  fc.assert(
    fc.property(samples, share, (all, part) => {
      const value = percentile(all, part)
      expect(all).toContain(value)
      const notAbove = all.filter((sample) => sample <= value).length
      expect(notAbove / all.length).toBeGreaterThanOrEqual(part * (1 - 1e-12))
      const below = all.filter((sample) => sample < value).length
      expect(below / all.length).toBeLessThan(part)
    }),
  )
})

test('percentiles do not fall as the share grows, and order of arrival does not matter', () => {
  fc.assert(
    fc.property(samples, share, share, (all, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      expect(percentile(all, low)).toBeLessThanOrEqual(percentile(all, high))
      expect(latencyOf(all.toReversed())).toEqual(latencyOf(all))
    }),
  )
})

test('a median lies between the least and the greatest', () => {
  fc.assert(
    fc.property(samples, (all) => {
      const { median: middle, min, max, count } = spreadOf(all)
      expect(count).toBe(all.length)
      expect(middle).toBeGreaterThanOrEqual(min)
      expect(middle).toBeLessThanOrEqual(max)
    }),
  )
})
