import { setTimeout as delay } from 'node:timers/promises'
import { createRandom } from '../../samples/random.ts'
import type { Offered } from './closed-loop.ts'

/** Milliseconds from any beginning. */
export interface Clock {
  now(): number
  /** Resolves at that time; at once if it has passed. */
  until(time: number): Promise<void>
}

/** Its timers come up to a millisecond late, which latencies hold. To wait more exactly would cost the CPU that is measured. */
export const realClock: Clock = {
  now: () => performance.now(),
  async until(time) {
    const left = time - performance.now()
    if (left > 0) await delay(left)
  },
}

/** Times of a Poisson process, in milliseconds from its beginning: callers who know nothing of each other. A seed gives the same ones. */
export function poissonArrivals(perSecond: number, seconds: number, seed: number): number[] {
  const random = createRandom(seed)
  const arrivals: number[] = []
  for (let time = 0; ; ) {
    time += (-Math.log(1 - random.next()) / perSecond) * 1_000
    if (time >= seconds * 1_000) return arrivals
    arrivals.push(time)
  }
}

/**
 * Calls that are made at their times, however many are still out. A latency counts from the time at which a call was to be
 * made, so that a stall is felt by every call that fell into it (no coordinated omission), whether the server stalled or we.
 */
export async function openLoop(
  arrivals: readonly number[],
  call: (index: number) => Promise<unknown>,
  clock: Clock = realClock,
): Promise<Offered> {
  const latenciesMs: number[] = []
  let errors = 0
  const calls: Promise<void>[] = []
  const started = clock.now()
  for (const [index, arrival] of arrivals.entries()) {
    await clock.until(started + arrival)
    calls.push(
      call(index).then(
        () => void latenciesMs.push(clock.now() - (started + arrival)),
        () => void errors++,
      ),
    )
  }
  await Promise.all(calls)
  return { latenciesMs, errors, seconds: (clock.now() - started) / 1_000 }
}
