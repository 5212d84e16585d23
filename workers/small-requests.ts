import type { Job } from 'bullmq'
import { within } from '../shared/lifecycle/within.ts'

/** What is asked of a BullMQ worker to take in a job by hand. */
interface Intake {
  readonly id: string
  /** Fetches a job that waits ahead of the bulk ones, if there is one: never one of the bulk. */
  fetchAheadOfBulk(token: string): Promise<Job<unknown, void> | undefined>
  processJob(job: Job<unknown, void>, token: string, fetchNext: () => boolean): Promise<unknown>
  emit(event: 'error', error: Error): unknown
}

export interface SmallRequestsOptions {
  readonly intake: Intake
  /** True while the worker fetches nothing by itself, and may be given a little more. */
  readonly hasRoom: () => boolean
  /** How many jobs wait ahead of the bulk ones. */
  readonly waiting: () => Promise<number>
  /** Called for each job that was taken in by hand, before it is processed. */
  readonly onTaken: (job: Job<unknown, void>) => void
}

const lookEveryMs = 2
/** After looks that were in vain it waits twice as long each time: another was faster, or these jobs cannot be had. */
const lookAgainWithinMs = 100
/** At once: they must not become a second load. */
const mostJobs = 32
const settleWithinMs = 5_000

/**
 * A worker with its hands full of bulk requests would fetch again when one of them is done: a tenth of a second for one of a
 * thousand items. A small request need not wait that long, as it takes next to no room. So as long as the worker is full, it
 * looks whether jobs wait ahead of the bulk (which has BullMQ's priority 1, so it stands in another list), and takes those in.
 */
export class SmallRequests {
  readonly #options: SmallRequestsOptions
  readonly #underWay = new Set<Promise<unknown>>()
  #timer: NodeJS.Timeout | undefined
  #waitMs = lookEveryMs
  #look: Promise<void> | undefined
  #closed = false
  #taken = 0
  #inHand = 0

  constructor(options: SmallRequestsOptions) {
    this.#options = options
  }

  /** Jobs that were taken in by hand and are not done, one that is being fetched included. The worker's own loop does not know them. */
  get inHand(): number {
    return this.#inHand
  }

  /** To be called when the worker is full. It looks until there is no more room, for whatever reason. */
  watch(): void {
    if (this.#timer !== undefined || this.#look !== undefined || this.#closed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#look = this.#takeAll().then((inVain) => {
        this.#look = undefined
        this.#waitMs = inVain ? Math.min(2 * this.#waitMs, lookAgainWithinMs) : lookEveryMs
        if (this.#options.hasRoom()) this.watch()
      })
    }, this.#waitMs)
  }

  /** True if there were jobs, and none to be had. */
  async #takeAll(): Promise<boolean> {
    const { intake, hasRoom, waiting } = this.#options
    try {
      while (!this.#closed && this.#inHand < mostJobs && hasRoom() && (await waiting()) > 0) {
        if (!(await this.#takeOne())) return true
      }
      return false
    } catch (error) {
      if (error instanceof Error) intake.emit('error', error)
      return true
    }
  }

  async #takeOne(): Promise<boolean> {
    const { intake, onTaken } = this.#options
    const token = `${intake.id}:small:${this.#taken++}`
    this.#inHand++
    let job: Job<unknown, void> | undefined
    try {
      job = await intake.fetchAheadOfBulk(token)
    } finally {
      if (job === undefined) this.#inHand--
    }
    if (job === undefined) return false
    onTaken(job)
    const processed: Promise<unknown> = intake
      .processJob(job, token, () => false)
      .catch(() => undefined) // the worker has said so; the job is found by its lock's end
      .finally(() => {
        this.#inHand--
        this.#underWay.delete(processed)
      })
    this.#underWay.add(processed)
    return true
  }

  /** Looks no more; resolves when what was taken in is settled, or when it takes too long. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await within(
      settleWithinMs,
      Promise.resolve(this.#look).then(() => Promise.all(this.#underWay)),
    )
  }
}
