import type { Job, Queue } from 'bullmq'
import { QueueEvents } from 'bullmq'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import type { Logger } from '../shared/log/log.ts'
import { openQueue } from '../shared/queue/queue.ts'
import { untilAborted } from './until-aborted.ts'

/** A job on the reply queue, not yet verified. */
export interface Arrived {
  readonly jobId: string
  readonly content: unknown
}

/** How often some of the waiters look for themselves, as an event may be missed while a connection is down. */
const sweepMs = 1_000
const sweepJobs = 100
/** Events of this long ago are read at the start, so that none falls between subscribing and listening. */
const historyMs = 10_000

/** Of those that were read, how many are remembered. */
const readJobs = 10_000

/**
 * Waits for jobs on one reply queue. The ids under which an answer comes are known beforehand, so it is fetched by its id
 * when the queue's event stream tells of it. Nobody takes another's answer, so several clients can share a reply queue, and
 * one that was restarted finds what came meanwhile.
 */
export class ReplyListener {
  readonly #queue: Queue
  readonly #events: QueueEvents
  readonly #waiters = new Map<string, () => void>()
  /** A request whose worker died after its reply runs again, and its reply comes again: nobody waits for that one. */
  readonly #read = new LRUCache<string, true>({ max: readJobs })
  /** Read, but the server did not let go of them yet. */
  readonly #leftBehind = new Set<string>()
  readonly #sweep: NodeJS.Timeout
  #connected = false

  constructor(name: string, prefix: string, connections: { commands: Redis; blocking: Redis }, log: Logger) {
    this.#queue = openQueue(name, connections.commands, prefix, (error) => log.debug({ err: error }, 'reply queue'))
    const lastEventId = `${Date.now() - historyMs}-0`
    this.#events = new QueueEvents(name, { connection: connections.blocking, prefix, lastEventId })
    this.#events.on('error', (error) => log.debug({ err: error }, 'reply queue events'))
    this.#events.on('waiting', ({ jobId }) => {
      const arrived = this.#waiters.get(jobId)
      if (arrived !== undefined) arrived()
      else if (this.#read.has(jobId)) this.#leftBehind.add(jobId)
    })
    this.#sweep = setInterval(() => void this.#look(), sweepMs)
  }

  /** Resolves when the server answers; until then, for ever not. */
  async ready(): Promise<void> {
    await Promise.all([this.#queue.waitUntilReady(), this.#events.waitUntilReady()])
    this.#connected = true
  }

  /**
   * The first of these jobs that is there, now or later. It stays on the queue until `discard`. Rejects with the signal's
   * reason. `expected`: none can be there yet, so the first look is saved.
   */
  async next(jobIds: readonly string[], signal: AbortSignal, expected: 'now' | 'later'): Promise<Arrived> {
    let candidates = expected === 'now' ? [...jobIds] : []
    let wake: () => void = () => undefined
    const abort = () => wake()
    signal.addEventListener('abort', abort)
    for (const jobId of jobIds) {
      this.#waiters.set(jobId, () => {
        candidates.push(jobId)
        wake()
      })
    }
    try {
      for (;;) {
        signal.throwIfAborted()
        const looked = candidates
        candidates = []
        for (const jobId of looked) {
          const job = await untilAborted(this.#job(jobId), signal)
          if (job !== undefined) return { jobId, content: job.data as unknown }
        }
        if (candidates.length > 0) continue
        await new Promise<void>((resolve) => {
          wake = resolve
          if (signal.aborted) resolve()
        })
      }
    } finally {
      signal.removeEventListener('abort', abort)
      for (const jobId of jobIds) this.#waiters.delete(jobId)
    }
  }

  /** Takes a job off the queue. That it is gone already is no error. Where it cannot be done now, the sweep does it. */
  async discard(jobId: string): Promise<void> {
    this.#read.set(jobId, true)
    this.#leftBehind.add(jobId)
    await this.#queue.remove(jobId)
    this.#leftBehind.delete(jobId)
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep)
    const closed = this.#events.close()
    closed.catch(() => undefined)
    // It waits for its connection first: where there never was one, for ever.
    const events = this.#connected ? closed : this.#events.getBackend().close(true)
    await Promise.allSettled([events, this.#queue.close()])
  }

  /** Undefined also where the server cannot say now: the sweep asks again. */
  #job(jobId: string): Promise<Job | undefined> {
    return this.#queue.getJob(jobId).catch(() => undefined)
  }

  async #look(): Promise<void> {
    const waiting = [...this.#waiters].slice(0, sweepJobs)
    // The next look begins behind these, or an answer behind many that are not there yet would never be found.
    for (const [jobId, arrived] of waiting) {
      this.#waiters.delete(jobId)
      this.#waiters.set(jobId, arrived)
    }
    await Promise.all([
      ...waiting.map(async ([jobId, arrived]) => {
        if ((await this.#job(jobId)) !== undefined) arrived()
      }),
      ...[...this.#leftBehind].slice(0, sweepJobs).map((jobId) => this.discard(jobId).catch(() => undefined)),
    ])
  }
}
