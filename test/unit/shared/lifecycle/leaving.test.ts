import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ShuttingDown } from '../../../../shared/errors/server-errors.ts'
import { failing, guarded, unreachable } from './dependency.ts'

/* What becomes of those who wait for a server when the process leaves. */

vi.mock('node:timers/promises', () => import('./timers.ts'))
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const goes = async (calls: Promise<unknown>[]) => {
  const outcomes = Promise.allSettled(calls)
  await wait(0)
  expect(await outcomes).toEqual(Array(calls.length).fill({ status: 'rejected', reason: new ShuttingDown() }))
}

test('after close nothing is started', async () => {
  const { guard } = guarded()
  guard.close()
  const work = failing(0)
  await goes([guard.use(work), guard.whenUp()])
  expect(work.tries).toBe(0)
})

test('close lets the waiting go at once in a pause between probes', async () => {
  const { guard, server } = guarded()
  server.failure = unreachable()
  const calls = [guard.use(failing(1)), wait(10_000).then(() => guard.whenUp())]
  await wait(20_000)
  const outcome = goes(calls)
  guard.close()
  await outcome
})

test('close lets the waiting go at once while a silent server is probed', async () => {
  const { guard, server } = guarded()
  server.failure = unreachable()
  const calls: Promise<unknown>[] = [guard.use(failing(1))]
  await wait(0)
  server.held = new Promise(() => undefined)
  await wait(5_000)
  calls.push(guard.whenUp())
  const outcome = goes(calls)
  guard.close()
  await outcome
})

test('close lets a call go that failed and waits for the first probe', async () => {
  const { guard, server } = guarded()
  server.held = new Promise(() => undefined)
  const outcome = goes([guard.use(failing(1))])
  guard.close()
  await outcome
})

test('close lets a call go that pauses before its next try', async () => {
  const { guard } = guarded()
  const calls: Promise<unknown>[] = [guard.use(failing(1))]
  await vi.advanceTimersByTimeAsync(1)
  const outcome = goes(calls)
  guard.close()
  await outcome
})

test('a call under way is not cut off by close', async () => {
  const { guard } = guarded()
  const { promise, resolve } = Promise.withResolvers<string>()
  const answered = guard.use(() => promise)
  await wait(0)
  guard.close()
  resolve('answer')
  expect(await answered).toBe('answer')
})

test('after close no probe is sent any more', async () => {
  const { guard, server } = guarded()
  server.failure = unreachable()
  const call = Promise.allSettled([guard.use(failing(1))])
  await wait(1_000)
  guard.close()
  await call
  const { length } = server.probes
  await wait(60_000)
  expect(server.probes).toHaveLength(length)
  expect(vi.getTimerCount()).toBe(0)
})
