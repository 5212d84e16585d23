import type { Job, JobJson, Processor, WorkerOptions } from 'bullmq'
import { Worker } from 'bullmq'
import { z } from 'zod'
import { limits } from '../shared/contract/grammar.ts'
import { makeJobsReadable } from './readable-jobs.ts'
import { SmallRequests } from './small-requests.ts'

/** Two full rounds of every batch slot: enough to fill batches from, and no more than memory should hold. */
const mostItemsInHand = 1_280
/** The last job that was taken in may be the largest; beside it, there is room for so many items of small requests. */
const mostItemsWithSmall = mostItemsInHand + limits.itemsPerRequest + 320
/** While there is room, jobs of one item must be able to fill it. */
const mostJobsInHand = mostItemsInHand
/** What a job says of its items is not yet believed, and its body may be large all the same. */
const mostBytesInHand = 32 * 1024 * 1024
const mostBytesWithSmall = mostBytesInHand + 4 * 1024 * 1024

interface Load {
  readonly items: number
  readonly bytes: number
}

const saidItems = z.object({ items: z.int().min(1).max(limits.itemsPerRequest) })

/**
 * A BullMQ worker that takes in work by items and bytes instead of jobs: it stops fetching while it has enough of them in
 * hand, so what does not fit stays on the queue for other replicas. Requests that wait ahead of the bulk are taken in all the
 * same (small-requests.ts).
 *
 * A job's own options are not the producer's to set. It is run until it is done, so it has one attempt and is removed;
 * and one whose data is no JSON reaches the processor without data, instead of staying in `active` for ever.
 */
export class IntakeWorker extends Worker<unknown, void> {
  readonly #givenUp = new WeakSet<Job<unknown>>()
  readonly #loads = new WeakMap<Job<unknown>, Load>()
  /** Jobs that were taken in by hand. What BullMQ's loop may fetch does not depend on them: only its own jobs wake it. */
  readonly #taken = new Set<Job<unknown>>()
  #jobs = 0
  #items = 0
  #bytes = 0
  #whenEmpty: () => void = () => undefined
  readonly #small = new SmallRequests({
    intake: this,
    hasRoom: () =>
      this.#isFull && this.#items < mostItemsWithSmall && this.#bytes < mostBytesWithSmall && this.#fetches,
    waiting: async () => (await this.backend.client).llen(this.backend.toKey('wait')),
    onTaken: (job) => {
      this.#taken.add(job)
      this.#setConcurrency()
    },
  })

  constructor(name: string, processor: Processor<unknown, void>, options: WorkerOptions) {
    super(name, processor, { ...options, concurrency: mostJobsInHand })
  }

  get itemsInHand(): number {
    return this.#items
  }

  get jobsInHand(): number {
    return this.#jobs
  }

  /** To be called once for each job that reached the processor, when it is done. */
  done(job: Job<unknown>): void {
    const { items, bytes } = this.#loads.get(job) ?? { items: 0, bytes: 0 }
    this.#loads.delete(job)
    this.#taken.delete(job)
    this.#count(-1, -items, -bytes)
    if (this.#jobs === 0) this.#whenEmpty()
  }

  /** Resolves when no job is in hand; at once if there is none. */
  emptied(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenEmpty = resolve
      if (this.#jobs === 0) resolve()
    })
  }

  /** True for a job that was found stalled too often: whoever ran it died, and perhaps of it. It is not to be run again. */
  isGivenUp(job: Job<unknown>): boolean {
    return this.#givenUp.has(job)
  }

  protected override createBackend(): void {
    super.createBackend()
    makeJobsReadable(this.backend)
  }

  /** BullMQ calls this for each job it fetches, before it fetches the next. */
  protected override createJob(data: JobJson, jobId: string): Job<unknown, void> {
    const { deferredFailure, repeatJobKey: _, ...json } = data
    const job = this.#decode(json, jobId)
    job.opts = { ...job.opts, attempts: 1, removeOnComplete: true, removeOnFail: true }
    if (deferredFailure !== undefined) this.#givenUp.add(job)
    const load = { items: itemsOf(job.data), bytes: json.data.length }
    this.#loads.set(job, load)
    this.#count(1, load.items, load.bytes)
    return job
  }

  #decode(json: JobJson, jobId: string): Job<unknown, void> {
    try {
      return super.createJob(json, jobId)
    } catch {
      return super.createJob({ ...json, data: '{}' }, jobId)
    }
  }

  /** BullMQ fetches while the jobs in hand are fewer than `concurrency`. */
  #count(jobs: number, items: number, bytes: number): void {
    this.#jobs += jobs
    this.#items += items
    this.#bytes += bytes
    this.#setConcurrency()
  }

  #setConcurrency(): void {
    this.concurrency = this.#isFull ? Math.max(1, this.#jobs - this.#small.inHand) : mostJobsInHand
    if (this.#isFull) this.#small.watch()
  }

  get #isFull(): boolean {
    let { items, bytes } = { items: this.#items, bytes: this.#bytes }
    for (const job of this.#taken) {
      const load = this.#loads.get(job)
      items -= load?.items ?? 0
      bytes -= load?.bytes ?? 0
    }
    return items >= mostItemsInHand || bytes >= mostBytesInHand
  }

  get #fetches(): boolean {
    return !this.paused && this.closing === undefined
  }

  override async close(force?: boolean): Promise<void> {
    if (!this.paused) await this.pause(true)
    const settled = this.#small.close()
    if (!force) await settled
    await super.close(force)
  }
}

const itemsOf = (data: unknown): number => saidItems.safeParse(data).data?.items ?? 1
