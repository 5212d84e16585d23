import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { UnavailableReason } from '../../../../shared/errors/server-errors.ts'
import { ContentRefused, ContentSuspected, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { failing, guarded } from './dependency.ts'

/* What becomes of a call that fails while the server's probe is healthy. */

vi.mock('node:timers/promises', () => import('./timers.ts'))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const settled = async <T>(promise: Promise<T>): Promise<PromiseSettledResult<T>> => {
  const [outcome] = await Promise.all([Promise.allSettled([promise]), vi.runAllTimersAsync()])
  return outcome[0]
}

test('a call that succeeds asks no probe', async () => {
  const { guard, server, changes } = guarded()
  expect(await guard.use(failing(0))).toBe('answer')
  expect(server.probes).toEqual([])
  expect(changes).toEqual([])
})

test.each([1, 2])('a call that fails %i times is tried again, and the intake stays open', async (times) => {
  const { guard, changes } = guarded()
  const work = failing(times)
  expect(await settled(guard.use(work))).toEqual({ status: 'fulfilled', value: 'answer' })
  expect(work.tries).toBe(times + 1)
  expect(changes).toEqual([])
})

test('the third failure in a row is the content’s', async () => {
  const { guard, changes } = guarded()
  const work = failing(9)
  expect(await settled(guard.use(work))).toMatchObject({
    status: 'rejected',
    reason: new ContentSuspected('transit', 'unreachable'),
  })
  expect(work.tries).toBe(3)
  expect(changes).toEqual([])
})

test('a token that is refused by a healthy server is not tried again', async () => {
  const { guard } = guarded()
  const work = failing(9, new Unavailable('transit', 'refused our token'))
  expect(await settled(guard.use(work))).toMatchObject({ reason: expect.any(ContentRefused) })
  expect(work.tries).toBe(1)
})

test.each<UnavailableReason>(['throttled', 'sealed or standby', 'read-only', 'out of resources'])(
  'what a server says of itself is no content’s fault, however often: %s',
  async (reason) => {
    const { guard } = guarded()
    const work = failing(20, new Unavailable('transit', reason))
    expect(await settled(guard.use(work))).toEqual({ status: 'fulfilled', value: 'answer' })
    expect(work.tries).toBe(21)
  },
)

test('a call is not repeated before the time that `Retry-After` asks for', async () => {
  const { guard } = guarded()
  const work = failing(1, new Unavailable('transit', 'throttled', { retryAfterMs: 7_000 }))
  const answered = guard.use(work)
  await vi.advanceTimersByTimeAsync(7_000)
  expect(work.tries).toBe(1)
  await vi.advanceTimersByTimeAsync(100)
  expect(await answered).toBe('answer')
})

describe('what speaks of no outage passes through, and asks no probe', () => {
  test.each([new UserError('wrong credentials'), new TypeError('a defect')])('%s', async (error) => {
    const { guard, server } = guarded()
    await expect(guard.use(failing(9, error))).rejects.toBe(error)
    expect(server.probes).toEqual([])
  })
})

test('content that a healthy server refuses is not tried again', async () => {
  const { guard, changes } = guarded()
  const error = new ContentRefused('transit', 400)
  const work = failing(9, error)
  await expect(guard.use(work)).rejects.toBe(error)
  expect(work.tries).toBe(1)
  expect(changes).toEqual([])
})

test('calls that fail at the same time share one probe', async () => {
  const { guard, server } = guarded()
  const calls = Array.from({ length: 50 }, () => guard.use(failing(1)))
  await Promise.all([Promise.all(calls), vi.runAllTimersAsync()])
  expect(server.probes).toHaveLength(1)
})
