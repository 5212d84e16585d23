import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Closing } from '../../../../shared/lifecycle/closing.ts'
import { createLogger } from '../../../../shared/log/log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const log = createLogger('silent', 'test')
const never = () => new Promise<void>(() => undefined)

test('closes in reverse order, each step after the one before has ended', async () => {
  const closing = new Closing()
  const seen: string[] = []
  for (const name of ['first', 'second', 'third']) {
    closing.onClose(name, async () => {
      seen.push(`${name} begins`)
      await new Promise((resolve) => setTimeout(resolve, 10))
      seen.push(`${name} ends`)
    })
  }
  await Promise.all([closing.close(1_000, log), vi.advanceTimersByTimeAsync(30)])
  expect(seen).toEqual(['third', 'second', 'first'].flatMap((name) => [`${name} begins`, `${name} ends`]))
})

test('closes once: who asks again, even later, shares the first outcome', async () => {
  const closing = new Closing()
  const step = vi.fn()
  closing.onClose('step', step)
  const closed = closing.close(1_000, log)
  expect(closing.close(5, log)).toBe(closed)
  await closed
  expect(closing.close(1_000, log)).toBe(closed)
  expect(step).toHaveBeenCalledTimes(1)
})

test('every step runs, even if others throw or reject, and closing does not fail', async () => {
  const closing = new Closing()
  const step = vi.fn()
  closing.onClose('last', step)
  closing.onClose('rejects', () => Promise.reject(new Error('rejected')))
  closing.onClose('between', step)
  closing.onClose('throws', () => {
    throw new Error('thrown')
  })
  await closing.close(1_000, log)
  expect(step).toHaveBeenCalledTimes(2)
})

test('the deadline holds for all steps together, and those behind one that never ends still begin', async () => {
  const closing = new Closing()
  const step = vi.fn()
  closing.onClose('quick', step)
  closing.onClose('never', never)
  closing.onClose('never either', never)
  const closed = vi.fn()
  void closing.close(5_000, log).then(closed)
  await vi.advanceTimersByTimeAsync(4_999)
  expect(closed).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(closed).toHaveBeenCalled()
  expect(step).toHaveBeenCalledTimes(1)
})

test('a step that fails after it was left behind disturbs nobody', async () => {
  const closing = new Closing()
  closing.onClose('late', () => new Promise((_, reject) => setTimeout(reject, 50, new Error('late'))))
  await Promise.all([closing.close(10, log), vi.advanceTimersByTimeAsync(10)])
  await vi.advanceTimersByTimeAsync(100)
})

test('leaves no timer behind', async () => {
  const closing = new Closing()
  closing.onClose('step', () => undefined)
  await closing.close(60_000, log)
  expect(vi.getTimerCount()).toBe(0)
})
