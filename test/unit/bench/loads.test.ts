import { expect, test } from 'vitest'
import { closedLoop } from '../../../bench/load/closed-loop.ts'
import type { Clock } from '../../../bench/load/open-loop.ts'
import { openLoop, poissonArrivals } from '../../../bench/load/open-loop.ts'
import { latencyOf } from '../../../bench/measure/statistics.ts'

/** Time goes on only where somebody waits for it. */
class FakeClock implements Clock {
  #time = 1_000
  readonly #due: { time: number; wake: () => void }[] = []

  now(): number {
    return this.#time
  }

  until(time: number): Promise<void> {
    if (time <= this.#time) return Promise.resolve()
    return new Promise((wake) => this.#due.push({ time, wake }))
  }

  wait(ms: number): Promise<void> {
    return this.until(this.#time + ms)
  }

  /** Goes from one thing that is due to the next, until nothing is. */
  async run(): Promise<void> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve))
      this.#due.sort((a, b) => a.time - b.time)
      const next = this.#due.shift()
      if (next === undefined) return
      this.#time = next.time
      next.wake()
    }
  }
}

const every = (ms: number, calls: number) => Array.from({ length: calls }, (_, i) => i * ms)

/** To a server of one thread, where each call waits for the one before. One of them takes a second longer. */
async function offered(arrivals: number[], callMs: number, stallAt: number) {
  const clock = new FakeClock()
  let freeAt = 0
  const load = openLoop(
    arrivals,
    async (index) => {
      const begins = Math.max(freeAt, clock.now()) + (index === stallAt ? 1_000 : 0)
      freeAt = begins + callMs
      await clock.wait(freeAt - clock.now())
    },
    clock,
  )
  await clock.run()
  return load
}

test('an open loop goes on while a server stalls, and every call that fell into the stall feels it', async () => {
  const { latenciesMs } = await offered(every(10, 200), 1, 50)
  // The call itself, and those that came until the server had caught up; a closed loop would have seen one slow call.
  expect(latenciesMs).toHaveLength(200)
  expect(latenciesMs.filter((ms) => ms > 1)).toHaveLength(112)
  expect(latencyOf(latenciesMs)).toMatchObject({ p50: 101, max: 1_001 })
})

test('a latency counts from the time at which the call was due, also where we were late', async () => {
  const clock = new FakeClock()
  const late: Clock = { now: () => clock.now(), until: (time) => clock.until(time + 25) }
  const load = openLoop(every(100, 3), () => clock.wait(5), late)
  await clock.run()
  expect((await load).latenciesMs).toEqual([30, 30, 30])
})

test('an open loop counts calls that fail, and times none of them', async () => {
  const clock = new FakeClock()
  const load = openLoop(
    every(1, 10),
    async (index) => {
      await clock.wait(2)
      if (index % 2 === 0) throw new Error('refused')
    },
    clock,
  )
  await clock.run()
  expect(await load).toMatchObject({ errors: 5, latenciesMs: [2, 2, 2, 2, 2] })
})

test('Poisson arrivals: a seed gives the same ones, in order, about as many as asked for', () => {
  const arrivals = poissonArrivals(300, 20, 7)
  expect(arrivals).toEqual(poissonArrivals(300, 20, 7))
  expect(arrivals).not.toEqual(poissonArrivals(300, 20, 8))
  expect(arrivals).toEqual(arrivals.toSorted((a, b) => a - b))
  expect(arrivals.at(-1)).toBeLessThan(20_000)
  // Within five standard deviations of 6,000.
  expect(Math.abs(arrivals.length - 6_000)).toBeLessThan(5 * Math.sqrt(6_000))
})

test('a closed loop makes as many calls as asked for, never more at once than callers', async () => {
  let underWay = 0
  let most = 0
  const asked: number[] = []
  const { latenciesMs, errors } = await closedLoop(3, { calls: 10 }, async (index) => {
    asked.push(index)
    most = Math.max(most, ++underWay)
    await new Promise((resolve) => setImmediate(resolve))
    underWay--
    if (index === 4) throw new Error('refused')
  })
  expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect({ most, errors, calls: latenciesMs.length }).toEqual({ most: 3, errors: 1, calls: 9 })
})
