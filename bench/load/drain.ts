import type { QueueName } from '../../shared/contract/grammar.ts'
import type { Durations } from '../../workers/timings.ts'
import type { Bench } from '../bench.ts'
import type { CpuTimes } from '../measure/usage.ts'
import { perItem, watchCpu } from '../measure/usage.ts'
import type { Child } from '../processes/ipc.ts'
import type { WorkerHandlers } from '../processes/worker.ts'
import { fillBacklog } from './backlog.ts'

export interface DrainLoad {
  readonly queue: QueueName
  readonly jobItems: number
  readonly items: number
}

export interface DrainResult {
  readonly itemsPerS: number
  readonly jobsPerS: number
  /** Mean items in a batch. */
  readonly fill: number
  /** Microseconds: `worker`, `openbao`, `postgres` and `valkey`. */
  readonly cpuPerItem: CpuTimes
  /** Of each stage, and of `job`, from pick-up to reply. */
  readonly durations: Readonly<Record<string, Durations>>
  readonly items: number
}

/** A backlog given to one replica, which is the only one of its queue. */
export async function measureDrain(
  bench: Bench,
  worker: Child<WorkerHandlers>,
  { queue, jobItems, items }: DrainLoad,
): Promise<DrainResult> {
  const backlog = await fillBacklog(bench, queue, jobItems, items)
  const before = await worker.ask('figures')
  await worker.ask('resetDurations')
  const cpu = watchCpu({ worker: worker.pid, ...bench.servers })
  const seconds = await backlog.drain()
  const cpuTimes = cpu.taken()
  const after = await worker.ask('figures')
  await backlog.check()
  return {
    itemsPerS: backlog.items / seconds,
    jobsPerS: backlog.jobs / seconds,
    fill: (after.items - before.items) / (after.batches - before.batches),
    cpuPerItem: perItem(cpuTimes, backlog.items),
    durations: after.durations,
    items: backlog.items,
  }
}
