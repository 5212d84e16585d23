import { Queue } from 'bullmq'
import type { Bench } from '../bench.ts'
import { reached } from '../load/list-length.ts'
import { watchCpu } from '../measure/usage.ts'
import type { TakenRequest } from './handler.ts'
import type { Drained, RequestQueue } from './request-queue.ts'

const jobsAtOnce = 500
const drainedWithinMs = 120_000

/** The queue `detok` under a prefix, which one worker has to itself. */
export class BullMqQueue implements RequestQueue {
  readonly #bench: Bench
  readonly #prefix: string
  readonly #workerPid: number | undefined
  readonly #requests: Queue
  #replies: Queue | undefined
  #jobs = 0

  constructor(bench: Bench, prefix: string, workerPid: number | undefined) {
    this.#bench = bench
    this.#prefix = prefix
    this.#workerPid = workerPid
    this.#requests = this.#queue('detok')
    bench.vault.onClose(() => this.#remove())
  }

  async fill(requests: readonly TakenRequest[], reply: string): Promise<void> {
    this.#replies ??= this.#queue(reply)
    this.#jobs = requests.length
    await this.#requests.pause()
    for (let at = 0; at < requests.length; at += jobsAtOnce) {
      const some = requests.slice(at, at + jobsAtOnce)
      await this.#requests.addBulk(some.map(({ id, data }) => ({ name: 'detok', data, opts: { jobId: id } })))
    }
  }

  async drain(): Promise<Drained> {
    const cpu = watchCpu({ worker: this.#workerPid, ...this.#bench.servers })
    const started = performance.now()
    await this.#requests.resume()
    await this.#reached(this.#replies, 'wait', (length) => length >= this.#jobs)
    const seconds = (performance.now() - started) / 1_000
    const taken = cpu.taken()
    await this.#reached(this.#requests, 'active', (length) => length === 0)
    return { seconds, cpu: taken }
  }

  async replies(): Promise<unknown[]> {
    const jobs = (await this.#replies?.getWaiting()) ?? []
    await this.#replies?.obliterate({ force: true })
    return jobs.map(({ data }): unknown => data)
  }

  async #remove(): Promise<void> {
    for (const queue of [this.#requests, this.#replies]) {
      await queue?.obliterate({ force: true })
      await queue?.close()
    }
  }

  #queue(name: string): Queue {
    const queue = new Queue(name, { connection: this.#bench.vault.redis, prefix: this.#prefix })
    queue.on('error', () => undefined) // each failure is met where it is awaited
    return queue
  }

  #reached(queue: Queue | undefined, list: string, isSo: (length: number) => boolean): Promise<void> {
    return reached(this.#bench.vault.redis, `${this.#prefix}:${queue?.name}:${list}`, isSo, drainedWithinMs)
  }
}
