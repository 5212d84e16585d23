import type { QueueName } from '../../../shared/contract/grammar.ts'
import type { Bench } from '../../bench.ts'
import type { Backlog } from '../../load/backlog.ts'
import { fillBacklog, recordsOf } from '../../load/backlog.ts'
import type { CpuProfile } from '../../measure/cpu-profile.ts'
import { attribute } from '../../measure/cpu-profile.ts'
import type { CpuTimes } from '../../measure/usage.ts'
import { perItem, watchCpu } from '../../measure/usage.ts'
import type { Child } from '../../processes/ipc.ts'
import type { WorkerHandlers } from '../../processes/worker.ts'
import { otherThreads, parts } from './parts.ts'

export interface Load {
  readonly name: string
  readonly queue: QueueName
  readonly jobItems: number
}

export const detokOf20: Load = { name: 'detok, jobs of 20', queue: 'detok', jobItems: 20 }
export const loads: readonly Load[] = [
  detokOf20,
  { name: 'detok, jobs of 200', queue: 'detok', jobItems: 200 },
  { name: 'detok, jobs of one', queue: 'detok', jobItems: 1 },
  { name: 'tokenize, jobs of 20', queue: 'tokenize', jobItems: 20 },
]

/** A backlog drained. CPU in microseconds an item. */
interface Drained {
  readonly itemsPerS: number
  /** `worker`, `openbao`, `postgres` and `valkey`. */
  readonly cpu: CpuTimes
  /** Of the worker, by itself. */
  readonly worker: number
  readonly mainThread: number
}

/**
 * One load in one round. A profile takes CPU too: it is taken of another backlog of the same size, and says only how the CPU
 * of this one is to be divided.
 */
export interface Round extends Drained {
  /** The worker's microseconds an item. */
  readonly parts: ReadonlyMap<string, number>
  readonly profile: CpuProfile
  readonly whileProfiled: Drained
}

export type Measurements = ReadonlyMap<Load, readonly Round[]>

export interface Sizes {
  readonly rounds: number
  /** Of a backlog; of one of jobs of one. */
  readonly items: number
  readonly singles: number
}

export const sizesOf = ({ quick }: Bench): Sizes =>
  quick ? { rounds: 2, items: 4_000, singles: 800 } : { rounds: 3, items: 16_000, singles: 4_000 }

export async function measure(bench: Bench, sizes: Sizes): Promise<Measurements> {
  await bench.tokens(recordsOf(bench))
  const workers = { detok: await bench.worker('detok'), tokenize: await bench.worker('tokenize') }
  bench.step('profile: warming up')
  for (const load of loads) await drain(bench, workers[load.queue], await filled(bench, load, sizes))
  const measured = new Map<Load, Round[]>(loads.map((load) => [load, []]))
  for (let round = 1; round <= sizes.rounds; round++) {
    bench.step(`profile: round ${round} of ${sizes.rounds}`)
    // The other way round every other time: nothing gains by its place.
    const order = round % 2 === 1 ? loads : loads.toReversed()
    const plain: [Load, Drained][] = []
    for (const load of order)
      plain.push([load, await drain(bench, workers[load.queue], await filled(bench, load, sizes))])
    for (const [load, drained] of plain) {
      const profiled = await drainProfiled(bench, workers[load.queue], await filled(bench, load, sizes))
      measured.get(load)?.push({ ...drained, ...profiled, parts: partsOf(drained, profiled.profile) })
    }
  }
  return measured
}

const filled = (bench: Bench, { queue, jobItems }: Load, { items, singles }: Sizes): Promise<Backlog> =>
  fillBacklog(bench, queue, jobItems, jobItems === 1 ? singles : items)

async function drainProfiled(bench: Bench, worker: Child<WorkerHandlers>, backlog: Backlog) {
  await worker.ask('startProfile')
  const whileProfiled = await drain(bench, worker, backlog)
  return { whileProfiled, profile: await worker.ask('stopProfile') }
}

/** The profile is of the main thread alone: its shares are of what that thread took. */
function partsOf({ worker, mainThread }: Drained, profile: CpuProfile): ReadonlyMap<string, number> {
  const shares = attribute(profile, parts)
  return new Map([
    [otherThreads, worker - mainThread],
    ...Array.from(shares, ([name, share]) => [name, share * mainThread] as const),
  ])
}

async function drain(bench: Bench, worker: Child<WorkerHandlers>, backlog: Backlog): Promise<Drained> {
  const servers = watchCpu({ ...bench.servers })
  const before = await worker.ask('threadCpu')
  const seconds = await backlog.drain()
  const after = await worker.ask('threadCpu')
  const times = servers.taken()
  await backlog.check()
  const { items } = backlog
  const ofWorker = (after.process - before.process) / items
  return {
    itemsPerS: items / seconds,
    cpu: { worker: ofWorker, ...perItem(times, items) },
    worker: ofWorker,
    mainThread: (after.thread - before.thread) / items,
  }
}
