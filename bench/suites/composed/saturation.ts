import type { QueueName } from '../../../shared/contract/grammar.ts'
import type { Bench } from '../../bench.ts'
import type { DrainResult } from '../../load/drain.ts'
import { measureDrain } from '../../load/drain.ts'
import { NoopQueue } from '../../load/noop-queue.ts'
import type { RawResult } from '../../load/raw-transit.ts'
import { RawTransit } from '../../load/raw-transit.ts'
import type { CpuTimes } from '../../measure/usage.ts'
import { meanTimes, sumOf } from '../../measure/usage.ts'
import type { Child } from '../../processes/ipc.ts'
import type { WorkerHandlers } from '../../processes/worker.ts'

export const jobSizes = [1, 20, 200] as const
export type JobSize = (typeof jobSizes)[number]

/** One size of jobs in one round, beside the ceilings of that round. */
export interface Measured extends DrainResult {
  readonly rawItemsPerS: number
  /** Microseconds: `client` and `openbao`. */
  readonly rawCpuPerItem: CpuTimes
  /** Of all processes. */
  readonly rawCpu: number | undefined
  readonly cpu: number | undefined
  /** Beside jobs of one alone. */
  readonly noopJobsPerS?: number
}

export type Rounds = Readonly<Record<JobSize, readonly Measured[]>>

export interface Saturated {
  readonly detok: Rounds
  readonly tokenize: Rounds
  readonly noopConcurrency: number
}

export interface Sizes {
  readonly rounds: number
  /** Of a backlog of jobs of 20 or 200; of jobs of one; of no-op jobs. */
  readonly items: number
  readonly singles: number
  readonly noops: number
  /** Each of two for a round of a direction. */
  readonly rawSeconds: number
}

export const sizesOf = ({ quick }: Bench): Sizes =>
  quick
    ? { rounds: 2, items: 10_000, singles: 2_000, noops: 4_000, rawSeconds: 0.5 }
    : { rounds: 7, items: 40_000, singles: 8_000, noops: 16_000, rawSeconds: 1.5 }

export interface Workers {
  readonly detok: Child<WorkerHandlers>
  readonly tokenize: Child<WorkerHandlers>
}

/** Full queues. In each round every size of both directions, between two measurements of raw Transit. */
export async function saturate(bench: Bench, workers: Workers, raws: Raws): Promise<Saturated> {
  const sizes = sizesOf(bench)
  const noop = await NoopQueue.start(bench, sizes.noops)
  bench.step(`composed: no-op jobs go fastest at a concurrency of ${noop.concurrency}; warming up`)
  for (const queue of directions)
    for (const jobItems of jobSizes) await measureDrain(bench, workers[queue], { queue, jobItems, items: warmUpItems })

  const results = { detok: noRounds(), tokenize: noRounds() }
  for (let round = 1; round <= sizes.rounds; round++) {
    for (const queue of directions) {
      bench.step(`composed: full queues, round ${round} of ${sizes.rounds}, ${queue}`)
      // The other way round every other time: nothing gains by its place.
      const order = round % 2 === 0 ? jobSizes : jobSizes.toReversed()
      const rawBefore = await measureRaw(raws[queue], sizes)
      const drained = new Map<JobSize, DrainResult & { noopJobsPerS?: number }>()
      for (const jobItems of order) {
        const items = jobItems === 1 ? sizes.singles : sizes.items
        const result = await measureDrain(bench, workers[queue], { queue, jobItems, items })
        const beside = jobItems === 1 && queue === 'detok' ? { noopJobsPerS: await noop.measure(sizes.noops) } : {}
        drained.set(jobItems, { ...result, ...beside })
      }
      const raw = [rawBefore, await measureRaw(raws[queue], sizes)] as const
      for (const [jobItems, result] of drained) results[queue][jobItems].push(besideRaw(result, raw))
    }
  }
  return { ...results, noopConcurrency: noop.concurrency }
}

export interface Raws {
  readonly detok: RawTransit
  readonly tokenize: RawTransit
}

export const startRaws = async (bench: Bench): Promise<Raws> => ({
  detok: await RawTransit.start(bench, 'detok'),
  tokenize: await RawTransit.start(bench, 'tokenize'),
})

export const directions = ['detok', 'tokenize'] as const satisfies readonly QueueName[]
export const rawCallers = 16
const warmUpItems = 3_000

const noRounds = (): Record<JobSize, Measured[]> => ({ 1: [], 20: [], 200: [] })

async function measureRaw(raw: RawTransit, { rawSeconds }: Sizes): Promise<RawResult> {
  const load = { batch: 20, callers: rawCallers, extent: { seconds: rawSeconds } }
  await raw.warmUp(load)
  return raw.closed(load)
}

function besideRaw<T extends DrainResult>(drained: T, [before, after]: readonly [RawResult, RawResult]): T & Measured {
  const rawCpuPerItem = meanTimes(before.cpuPerItem, after.cpuPerItem)
  return {
    ...drained,
    rawItemsPerS: (before.itemsPerS + after.itemsPerS) / 2,
    rawCpuPerItem,
    rawCpu: sumOf(rawCpuPerItem),
    cpu: sumOf(drained.cpuPerItem),
  }
}
