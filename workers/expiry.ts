import { setTimeout as delay } from 'node:timers/promises'
import type { TimesToLive } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { deadLetterQueueName } from '../shared/contract/names.ts'
import { ShuttingDown } from '../shared/errors/server-errors.ts'
import type { Dependencies } from './dependencies.ts'

const longestRestMs = 60_000
const restWithBacklogMs = 1_000
/** Of Redis's keys, in steps of 1,000. */
const stepsPerSweep = 10
/** Of one queue, 500 jobs each. */
const roundsPerSweep = 20

/**
 * Removes what nobody came for: from any reply queue, and from the dead letters of this pool. Each replica sweeps by itself, at
 * times of its own, and no more than a little at once: a sweep goes on where the one before stopped, and the next comes sooner
 * where more is left.
 */
export class Expiry {
  readonly #queue: QueueName
  readonly #times: TimesToLive
  readonly #dependencies: Dependencies
  readonly #closing = new AbortController()
  #cursor = '0'

  constructor(queue: QueueName, times: TimesToLive, dependencies: Dependencies) {
    this.#queue = queue
    this.#times = times
    this.#dependencies = dependencies
  }

  /** Resolves after `close`. */
  async run(): Promise<void> {
    const { replySeconds, deadLetterSeconds } = this.#times
    const restMs = Math.min(longestRestMs, 250 * Math.min(replySeconds, deadLetterSeconds))
    const { signal } = this.#closing
    while (!signal.aborted) {
      const isDone = await this.#sweep()
      const waitMs = isDone ? restMs : Math.min(restMs, restWithBacklogMs)
      await delay(waitMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined)
    }
  }

  close(): void {
    this.#closing.abort()
  }

  /** False if it left something behind that is too old. */
  async #sweep(): Promise<boolean> {
    const { redis, metrics } = this.#dependencies
    const { replySeconds, deadLetterSeconds } = this.#times
    const letters = deadLetterQueueName(this.#queue)
    let isDone = await this.#expire(letters, deadLetterSeconds, (count) => metrics.deadLettersExpired(count))
    for (let step = 0; step < stepsPerSweep && !this.#closing.signal.aborted; step++) {
      const { names, cursor } = await redis.use((queues) => queues.nextReplyQueues(this.#cursor)).catch(fromTheStart)
      for (const name of names) {
        const emptied = await this.#expire(name, replySeconds, (count) => metrics.repliesExpired(count))
        isDone &&= emptied
      }
      this.#cursor = cursor
      if (cursor === '0') break
    }
    return isDone
  }

  /** False if there may be more. */
  async #expire(name: string, seconds: number, count: (removed: number) => void): Promise<boolean> {
    const { redis, log } = this.#dependencies
    try {
      for (let round = 0; round < roundsPerSweep; round++) {
        const removed = await redis.use((queues) => queues.expire(name, Date.now() - seconds * 1_000))
        count(removed)
        if (removed === 0) return true
      }
      return false
    } catch (error) {
      // One queue that is no queue must not keep the others from being swept.
      if (!(error instanceof ShuttingDown)) log.warn({ err: error }, 'a queue could not be swept')
      return true
    }
  }
}

const fromTheStart = () => ({ names: [], cursor: '0' })
