import type { Job, JobJson, Processor, RedisQueueBackend, WorkerOptions } from 'bullmq'
import { Worker } from 'bullmq'
import { z } from 'zod'
import { limits } from '../shared/contract/grammar.ts'
import { aheadOfBulk } from './ahead-of-bulk.ts'
import { makeJobsReadable, UnreadableData } from './readable-jobs.ts'
import { SmallRequests } from './small-requests.ts'

/** Two full rounds of every batch slot: enough to fill batches from, and no more than memory should hold. */
const mostItemsInHand = 1_280
/** Beside what fills it there is room for so many items of small requests, however large the last job that it fetched. */
const mostItemsTakenByHand = 640
/** While there is room, jobs of one item must be able to fill it. */
const mostJobsInHand = mostItemsInHand
/** What a job says of its items is not yet believed, and its body may be large all the same. */
const mostBytesInHand = 32 * 1024 * 1024
const mostBytesWithSmall = mostBytesInHand + 4 * 1024 * 1024

interface Load {
  readonly items: number
  readonly bytes: number
  /** It was taken in by hand, so what BullMQ's loop may fetch does not depend on it: only its own jobs wake it. */
  readonly byHand: boolean
}

const saidItems = z.object({ items: z.int().min(1).max(limits.itemsPerRequest) })

/**
 * A BullMQ worker that takes in work by items and bytes instead of jobs: it stops fetching while it has enough of them in
 * hand, so what does not fit stays on the queue for other replicas. Requests that wait ahead of the bulk are taken in all the
 * same (small-requests.ts).
 *
 * A job's own options are not the producer's to set. It is run until it is done, so it has one attempt and is removed;
 * and one whose data is no JSON reaches the processor with its size alone, instead of staying in `active` for ever.
 */
export class IntakeWorker extends Worker<unknown, void> {
  readonly #givenUp = new WeakSet<Job<unknown>>()
  readonly #loads = new WeakMap<Job<unknown>, Load>()
  readonly #fetched = new Sum()
  readonly #takenByHand = new Sum()
  readonly #aheadOfBulk: RedisQueueBackend
  #whenEmpty: () => void = () => undefined
  readonly #small = new SmallRequests({
    intake: this,
    hasRoom: () =>
      this.#isFull &&
      this.#takenByHand.items < mostItemsTakenByHand &&
      this.#fetched.bytes + this.#takenByHand.bytes < mostBytesWithSmall &&
      this.#fetches,
    waiting: async () => (await this.backend.client).llen(this.backend.toKey('wait')),
    onTaken: (job) => this.#moveByHand(job),
  })

  constructor(name: string, processor: Processor<unknown, void>, options: WorkerOptions) {
    super(name, processor, { ...options, concurrency: mostJobsInHand })
    this.#aheadOfBulk = aheadOfBulk(this.backend, name, this.opts)
  }

  get itemsInHand(): number {
    return this.#fetched.items + this.#takenByHand.items
  }

  get jobsInHand(): number {
    return this.#fetched.jobs + this.#takenByHand.jobs
  }

  /** To be called once for each job that reached the processor, when it is done. */
  done(job: Job<unknown>): void {
    this.#take(job, undefined)
    if (this.jobsInHand === 0) this.#whenEmpty()
  }

  /** Resolves when no job is in hand; at once if there is none. */
  emptied(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenEmpty = resolve
      if (this.jobsInHand === 0) resolve()
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

  /** Not by BullMQ's own `getNextJob`, after which the loop would believe that the queue is empty. */
  async fetchAheadOfBulk(token: string): Promise<Job<unknown, void> | undefined> {
    const [json, jobId] = await this.#aheadOfBulk.moveToActive(token, this.opts.name)
    return json ? this.nextJobFromJobData(json, jobId, token) : undefined
  }

  /** BullMQ calls this for each job it fetches, before it fetches the next. */
  protected override createJob(data: JobJson, jobId: string): Job<unknown, void> {
    const { deferredFailure, repeatJobKey: _, ...json } = data
    const job = this.#decode(json, jobId)
    job.opts = { ...job.opts, attempts: 1, removeOnComplete: true, removeOnFail: true }
    if (deferredFailure !== undefined) this.#givenUp.add(job)
    this.#take(job, { items: itemsOf(job.data), bytes: json.data.length, byHand: false })
    return job
  }

  #decode(json: JobJson, jobId: string): Job<unknown, void> {
    try {
      return super.createJob(json, jobId)
    } catch {
      const job = super.createJob({ ...json, data: '{}' }, jobId)
      job.data = new UnreadableData(Buffer.byteLength(json.data))
      return job
    }
  }

  #moveByHand(job: Job<unknown>): void {
    const load = this.#loads.get(job)
    if (load !== undefined) this.#take(job, { ...load, byHand: true })
  }

  /** Counts a job as this load, and no longer as the one it was; undefined: it is done. */
  #take(job: Job<unknown>, load: Load | undefined): void {
    const before = this.#loads.get(job)
    if (before !== undefined) this.#sumOf(before).add(-1, before)
    if (load !== undefined) this.#sumOf(load).add(1, load)
    if (load !== undefined) this.#loads.set(job, load)
    else this.#loads.delete(job)
    this.#setConcurrency()
  }

  #sumOf({ byHand }: Load): Sum {
    return byHand ? this.#takenByHand : this.#fetched
  }

  /** BullMQ fetches while the jobs that its loop fetched are fewer than `concurrency`. */
  #setConcurrency(): void {
    this.concurrency = this.#isFull ? Math.max(1, this.jobsInHand - this.#small.inHand) : mostJobsInHand
    if (this.#isFull) this.#small.watch()
  }

  get #isFull(): boolean {
    return this.#fetched.items >= mostItemsInHand || this.#fetched.bytes >= mostBytesInHand
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

/** What is in hand, one way or the other. */
class Sum {
  jobs = 0
  items = 0
  bytes = 0

  add(sign: 1 | -1, { items, bytes }: Load): void {
    this.jobs += sign
    this.items += sign * items
    this.bytes += sign * bytes
  }
}

const itemsOf = (data: unknown): number => saidItems.safeParse(data).data?.items ?? 1
