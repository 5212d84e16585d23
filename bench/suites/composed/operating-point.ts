import type { Client } from '../../../producers/index.ts'
import type { Bench } from '../../bench.ts'
import { openLoop, poissonArrivals } from '../../load/open-loop.ts'
import type { RawTransit } from '../../load/raw-transit.ts'
import type { Latency } from '../../measure/statistics.ts'
import { latencyOf } from '../../measure/statistics.ts'
import type { Child } from '../../processes/ipc.ts'
import type { WorkerHandlers } from '../../processes/worker.ts'
import { detokOne } from './asking.ts'

export interface OperatingPoint {
  readonly seconds: number
  /** From the time at which a call was due to its outcome. */
  readonly roundTrip: Latency
  /** In the worker, from pick-up until the reply is published. */
  readonly worker: Omit<Latency, 'max'>
  /** A call of one item, from the time at which it was due. */
  readonly raw: Latency
}

export const itemsPerS = 300
export const seed = 300

/** The findings' own: callers who know nothing of each other ask for one item each, in turns with raw Transit under the same load. */
export async function measureOperatingPoint(
  bench: Bench,
  { client, worker, raw }: { client: Client; worker: Child<WorkerHandlers>; raw: RawTransit },
): Promise<OperatingPoint> {
  const { blocks, seconds } = bench.quick ? { blocks: 2, seconds: 2 } : { blocks: 4, seconds: 5 }
  const ask = await detokOne(bench, client)
  await openLoop(poissonArrivals(itemsPerS, 1, seed), ask)
  await raw.warmUp({ batch: 1, callers: 4 })
  await worker.ask('resetDurations')
  const roundTripMs: number[] = []
  const rawMs: number[] = []
  for (let block = 1; block <= blocks; block++) {
    bench.step(`composed: ${itemsPerS} items/s offered, block ${block} of ${blocks}, ${seconds} s`)
    const arrivals = poissonArrivals(itemsPerS, seconds, seed + block)
    const composed = await openLoop(arrivals, ask)
    const beside = await raw.open(1, arrivals)
    if (composed.errors + beside.errors > 0) throw new Error('calls failed at the operating point')
    roundTripMs.push(...composed.latenciesMs)
    rawMs.push(...beside.latenciesMs)
  }
  const job = (await worker.ask('figures')).durations['job']
  if (job === undefined) throw new Error('the worker timed no job')
  return { seconds: blocks * seconds, roundTrip: latencyOf(roundTripMs), worker: job, raw: latencyOf(rawMs) }
}
