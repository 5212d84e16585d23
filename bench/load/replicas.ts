import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { sumOf, watchCpu } from '../measure/usage.ts'
import type { Child } from '../processes/ipc.ts'
import type { SlowLinkHandlers, WayThere } from '../processes/slow-link.ts'
import type { WorkerHandlers } from '../processes/worker.ts'
import { fillBacklog } from './backlog.ts'

export interface ReplicaLoad {
  /** Each replica's own way to Transit. */
  readonly way: WayThere
  readonly jobItems: number
  /** On the queue before: so many that it does not run empty meanwhile. */
  readonly items: number
  /** Before the measured ones: session keys are opened, batches come under way. */
  readonly startSeconds: number
  readonly seconds: number
}

export interface Throughput {
  /** That were put into batches. */
  readonly itemsPerS: number
  /** Cores that a replica kept busy, on average; 0.5 is half of one. */
  readonly replicaCores: number | undefined
  /** The part of all cores that replicas, servers and proxy kept busy. */
  readonly machineShare: number | undefined
}

const program = new URL('../processes/slow-link.ts', import.meta.url)
const direct: WayThere = { latencyMs: 0, calls: 'at once' }
const warmUp = { jobItems: 20, itemsOfReplica: 2_000 }

/** Any number of replicas of the detok pool, each with a way to Transit that can be made longer. */
export class Replicas {
  readonly #bench: Bench
  readonly #link: Child<SlowLinkHandlers>
  readonly #workers: Child<WorkerHandlers>[] = []

  static async open(bench: Bench): Promise<Replicas> {
    return new Replicas(bench, await bench.child(program, { BENCH_TARGET: bench.vault.stack.transitAddr }))
  }

  private constructor(bench: Bench, link: Child<SlowLinkHandlers>) {
    this.#bench = bench
    this.#link = link
  }

  /** Starts and stops as many as are lacking or too many. Those that are started are warm afterwards. */
  async setCount(count: number): Promise<void> {
    await Promise.all(this.#workers.splice(count).map((worker) => worker.stop()))
    const lacking = count - this.#workers.length
    if (lacking === 0) return
    await this.#link.ask('set', direct)
    const start = async () => this.#bench.worker('detok', { TRANSIT_ADDR: await this.#link.ask('open') })
    this.#workers.push(...(await Promise.all(Array.from({ length: lacking }, start))))
    const { jobItems, itemsOfReplica } = warmUp
    const backlog = await fillBacklog(this.#bench, 'detok', jobItems, itemsOfReplica * count)
    await backlog.drain()
    await backlog.check()
  }

  /** What all of them together carry while the queue is full. What is left on it goes by the direct way afterwards. */
  async throughput({ way, jobItems, items, startSeconds, seconds }: ReplicaLoad): Promise<Throughput> {
    const backlog = await fillBacklog(this.#bench, 'detok', jobItems, items)
    await this.#link.ask('set', way)
    const drained = backlog.drain()
    await delay(startSeconds * 1_000)
    const workers = Object.fromEntries(this.#workers.map(({ pid }, i) => [`worker ${i}`, pid]))
    const ofWorkers = watchCpu(workers)
    const ofServers = watchCpu({ ...this.#bench.servers, link: this.#link.pid })
    const [before, started] = [await this.#batchedItems(), performance.now()]
    await delay(seconds * 1_000)
    const [after, ended] = [await this.#batchedItems(), performance.now()]
    const [busyWorkers, busyServers] = [sumOf(ofWorkers.taken()), sumOf(ofServers.taken())]
    if (!(await this.#isQueueFull())) throw new Error('the queue ran empty while replicas were measured')
    await this.#link.ask('set', direct)
    await drained
    await backlog.check()
    const cores = (microseconds: number | undefined) => microseconds && microseconds / (ended - started) / 1_000
    const [workerCores, serverCores] = [cores(busyWorkers), cores(busyServers)]
    return {
      itemsPerS: ((after - before) * 1_000) / (ended - started),
      replicaCores: workerCores && workerCores / this.#workers.length,
      machineShare: workerCores && serverCores && (workerCores + serverCores) / cpus().length,
    }
  }

  async #batchedItems(): Promise<number> {
    const figures = await Promise.all(this.#workers.map((worker) => worker.ask('figures')))
    return figures.reduce((sum, { items }) => sum + items, 0)
  }

  async #isQueueFull(): Promise<boolean> {
    const { wait, prioritized } = await this.#bench.vault.queue('detok').getJobCounts('wait', 'prioritized')
    return (wait ?? 0) + (prioritized ?? 0) > 0
  }
}
