import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ContentRefused, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { exitCodes, UserError } from '../../../../shared/errors/user-error.ts'
import { failing, guarded, unreachable } from './dependency.ts'

/* What becomes of calls while the server is down. */

vi.mock('node:timers/promises', () => import('./timers.ts'))
beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a failing probe closes the intake, and one that succeeds opens it, each said once', async () => {
  const { guard, server, changes } = guarded()
  server.failure = unreachable()
  const calls = Array.from({ length: 20 }, () => guard.use(failing(1)))
  await wait(60_000)
  expect(guard.isUp).toBe(false)
  expect(changes).toEqual([false])
  server.failure = undefined
  await wait(5_000)
  expect(await Promise.all(calls)).toEqual(Array(20).fill('answer'))
  expect(guard.isUp).toBe(true)
  expect(changes).toEqual([false, true])
})

test('a server that blames the content for what it lacks itself, as its probe tells, is down', async () => {
  const { guard, server, changes } = guarded()
  server.failure = new ContentRefused('transit', 400)
  const answered = guard.use(failing(1, new ContentRefused('transit', 400)))
  await wait(60_000)
  expect(changes).toEqual([false])
  server.failure = undefined
  await wait(5_000)
  expect(await answered).toBe('answer')
})

test('nothing is tried while the server is down, and new calls wait too', async () => {
  const { guard, server } = guarded()
  server.failure = unreachable()
  const first = failing(1)
  const second = failing(0)
  const calls = [guard.use(first), wait(1_000).then(() => guard.use(second))]
  await wait(600_000)
  expect([first.tries, second.tries]).toEqual([1, 0])
  server.failure = undefined
  await wait(5_000)
  expect(await Promise.all(calls)).toEqual(['answer', 'answer'])
})

test('outages use up no tries, however many', async () => {
  const { guard, server } = guarded()
  let tries = 0
  const answered = guard.use(async () => {
    if (++tries > 10) return 'answer'
    server.failure = unreachable()
    setTimeout(() => {
      server.failure = undefined
    }, 10_000)
    throw unreachable()
  })
  await wait(600_000)
  expect(await answered).toBe('answer')
})

test('refusals before an outage do not count after it', async () => {
  const { guard, server } = guarded()
  let tries = 0
  const answered = guard.use(async () => {
    tries++
    if (tries === 3) {
      server.failure = unreachable()
      setTimeout(() => {
        server.failure = undefined
      }, 1_000)
    }
    if (tries <= 5) throw unreachable()
    return 'answer'
  })
  await wait(60_000)
  expect(await answered).toBe('answer')
})

test('one probe at a time, however many wait', async () => {
  const { guard, server } = guarded()
  server.failure = unreachable()
  server.held = new Promise((resolve) => setTimeout(resolve, 2_000))
  const calls = Array.from({ length: 50 }, (_, i) => wait(i * 50).then(() => guard.use(failing(1))))
  await wait(20_000)
  expect(server.probingAtOnce).toBe(1)
  server.failure = undefined
  await wait(5_000)
  await Promise.all(calls)
})

test('the pauses between probes grow, are jittered, and are never longer than five seconds', async () => {
  const pausesOf = async () => {
    const { guard, server } = guarded()
    server.failure = unreachable()
    const answered = guard.use(failing(1))
    await wait(60_000)
    server.failure = undefined
    await wait(5_000)
    await answered
    return server.probes.slice(1).map((at, i) => at - (server.probes[i] ?? 0))
  }
  const pauses = await pausesOf()
  for (const [i, pause] of pauses.entries()) {
    const most = Math.min(100 * 2 ** i, 5_000)
    expect(pause).toBeGreaterThanOrEqual(most / 2 - 1)
    expect(pause).toBeLessThanOrEqual(most)
  }
  expect(await pausesOf()).not.toEqual(pauses)
})

test('no probe comes before the time that `Retry-After` asks for', async () => {
  const { guard, server } = guarded()
  server.failure = new Unavailable('transit', 'sealed or standby', { retryAfterMs: 30_000 })
  const answered = guard.use(failing(1, server.failure))
  await wait(30_000)
  expect(server.probes).toHaveLength(1)
  await wait(100)
  expect(server.probes).toHaveLength(2)
  server.failure = undefined
  await wait(60_000)
  expect(await answered).toBe('answer')
})

test('`Retry-After: 0` asks for no rush', async () => {
  const { guard, server } = guarded()
  server.failure = new Unavailable('transit', 'throttled', { retryAfterMs: 0 })
  const answered = guard.use(failing(1, server.failure))
  await wait(10_000)
  expect(server.probes.length).toBeLessThan(15)
  server.failure = undefined
  await wait(5_000)
  expect(await answered).toBe('answer')
})

test('where only a person can help, the waiting are told so, and later ones too', async () => {
  const { guard, server } = guarded()
  const refused = new UserError('wrong credentials', exitCodes.credentials)
  server.failure = refused
  const outcomes = Promise.allSettled([guard.use(failing(9)), guard.use(failing(9))])
  await wait(1_000)
  expect(await outcomes).toEqual(Array(2).fill({ status: 'rejected', reason: refused }))
})
