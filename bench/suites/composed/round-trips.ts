import type { Client } from '../../../producers/index.ts'
import type { Bench } from '../../bench.ts'
import { closedLoop } from '../../load/closed-loop.ts'
import type { Latency } from '../../measure/statistics.ts'
import { latencyOf } from '../../measure/statistics.ts'
import { asking } from './asking.ts'
import type { JobSize } from './saturation.ts'
import { directions, jobSizes } from './saturation.ts'

export interface RoundTrip {
  readonly queue: (typeof directions)[number]
  readonly jobItems: JobSize
  readonly latency: Latency
}

export const callers = 4

/** What a caller waits beside three others, from its call to the outcomes. Blocks in turns, their latencies taken together. */
export async function measureRoundTrips(bench: Bench, client: Client): Promise<RoundTrip[]> {
  const { blocks, seconds } = bench.quick ? { blocks: 2, seconds: 0.5 } : { blocks: 3, seconds: 1.5 }
  const loads = directions.flatMap((queue) => jobSizes.map((jobItems) => ({ queue, jobItems, ms: [] as number[] })))
  for (let block = 1; block <= blocks; block++) {
    bench.step(`composed: ${callers} callers, block ${block} of ${blocks}`)
    for (const { queue, jobItems, ms } of loads) {
      const { latenciesMs, errors } = await closedLoop(
        callers,
        { seconds },
        await asking(bench, client, queue, jobItems),
      )
      if (errors > 0) throw new Error(`${errors} calls failed`)
      ms.push(...latenciesMs)
    }
  }
  return loads.map(({ queue, jobItems, ms }) => ({ queue, jobItems, latency: latencyOf(ms) }))
}
