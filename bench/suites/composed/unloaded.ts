import type { Client } from '../../../producers/index.ts'
import type { Bench } from '../../bench.ts'
import { closedLoop } from '../../load/closed-loop.ts'
import type { RawTransit } from '../../load/raw-transit.ts'
import type { Latency } from '../../measure/statistics.ts'
import { latencyOf } from '../../measure/statistics.ts'
import { detokOne } from './asking.ts'

export interface Unloaded {
  readonly blocks: number
  /** From the client's call to its outcome: sealing, queue, worker, reply and opening. */
  readonly composed: Latency
  readonly raw: Latency
  /** p50 and p99 of the ratio in each block. */
  readonly blockRatios: readonly number[]
}

const callsInBlock = 100
const rawCallsInBlock = 300

/** One caller and nobody else, an item at a time, in turns with raw Transit batch-20 of one caller. */
export async function measureUnloaded(bench: Bench, client: Client, raw: RawTransit): Promise<Unloaded> {
  const blocks = bench.quick ? 5 : 20
  bench.step(`composed: unloaded, ${blocks} blocks of ${callsInBlock} calls`)
  const ask = await detokOne(bench, client)
  const rawLoad = { batch: 20, callers: 1, extent: { calls: rawCallsInBlock } }
  await closedLoop(1, { calls: callsInBlock }, ask)
  await raw.warmUp(rawLoad)
  const composedMs: number[] = []
  const rawMs: number[] = []
  const blockRatios: number[] = []
  for (let block = 0; block < blocks; block++) {
    const composed = await closedLoop(1, { calls: callsInBlock }, ask)
    if (composed.errors > 0) throw new Error(`${composed.errors} calls failed on an idle vault`)
    const beside = await raw.closed(rawLoad)
    composedMs.push(...composed.latenciesMs)
    rawMs.push(...beside.latenciesMs)
    blockRatios.push(latencyOf(composed.latenciesMs).p50 / beside.latency.p50)
  }
  return { blocks, composed: latencyOf(composedMs), raw: latencyOf(rawMs), blockRatios }
}
