import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasPassed, nowSeconds } from '../../../workers/deadline.ts'

const now = 1_800_000_000
beforeEach(() => void vi.useFakeTimers({ now: now * 1_000 + 999 }))
afterEach(() => void vi.useRealTimers())

test('time is counted in whole Unix seconds, the begun one included', () => {
  expect(nowSeconds()).toBe(now)
})

test.each([
  [now + 1, false],
  [now, false],
  [now - 120, false],
  [now - 121, true],
  [0, true],
])('a deadline has passed 120 seconds after it: %i, %s', (deadline, passed) => {
  expect(hasPassed(deadline)).toBe(passed)
})

test('the allowance ends with the second', () => {
  expect(hasPassed(now - 120)).toBe(false)
  vi.setSystemTime((now + 1) * 1_000)
  expect(hasPassed(now - 120)).toBe(true)
})
