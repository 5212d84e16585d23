import { readFileSync } from 'node:fs'
import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { LRUCache } from 'lru-cache'
import { Unavailable } from '../shared/errors/server-errors.ts'
import { openQueue } from '../shared/queue/queue.ts'
import type { Step } from '../shared/queue/reply-queue-names.ts'
import { nextReplyQueues } from '../shared/queue/reply-queue-names.ts'

const expireScript = readFileSync(new URL('./expire.lua', import.meta.url), 'utf8')
const jobsPerRound = 500
/** All that BullMQ keeps of a queue on which jobs only wait, or are taken by a worker of their reader's. */
const queueKeys = ['wait', 'active', 'events', 'meta', 'id', 'marker', 'stalled', 'stalled-check']

/** The queues that workers put jobs on: reply queues, as many as there are requesters, and the queues of dead letters. */
export class ReplyQueues {
  readonly #connection: Redis
  readonly #prefix: string
  readonly #workerName: string
  readonly #queues = new LRUCache<string, Queue>({
    max: 1_000,
    dispose: (queue) => void queue.close().catch(() => undefined),
  })

  constructor(connection: Redis, prefix: string, workerName: string) {
    this.#connection = connection
    this.#prefix = prefix
    this.#workerName = workerName
  }

  /**
   * Puts a job on a queue; under an id that is there already, nothing changes. Throws Unavailable unless the server took
   * it: BullMQ reports some refusals as an id of its own instead of an error, so the id is checked.
   */
  async publish(queueName: string, jobName: string, content: object, jobId: string): Promise<void> {
    let id: string | undefined
    try {
      const job = await this.#queue(queueName).add(jobName, content, {
        jobId,
        removeOnComplete: true,
        removeOnFail: true,
      })
      id = job.id
    } catch (error) {
      throw new Unavailable('redis', 'unreachable', { cause: error })
    }
    if (id !== jobId) throw new Unavailable('redis', 'not accepted')
  }

  nextReplyQueues(cursor: string): Promise<Step> {
    return this.#asked(nextReplyQueues(this.#connection, this.#prefix, cursor))
  }

  /**
   * Removes, of a queue's oldest jobs, those that were put there before this time, and a queue that nobody used since. Gives
   * how many; more may be left, unless it was none. Not by BullMQ's `clean`: it adds an event at each call and trims none.
   */
  async expire(queueName: string, before: number): Promise<number> {
    const jobKey = `${this.#prefix}:${queueName}:`
    const keys = queueKeys.map((name) => jobKey + name)
    const asked = this.#connection.eval(expireScript, keys.length, ...keys, jobKey, before, jobsPerRound)
    return Number(await this.#asked(asked))
  }

  /** Resolves if the server takes writes: one that is read-only or full answers a ping, but takes no reply. */
  async probe(): Promise<void> {
    await this.#asked(this.#connection.set(`${this.#prefix}:probe:${this.#workerName}`, '1', 'PX', 1_000))
  }

  async close(): Promise<void> {
    this.#queues.clear()
    this.#connection.disconnect()
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      throw new Unavailable('redis', 'unreachable', { cause: error })
    }
  }

  #queue(name: string): Queue {
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      queue = openQueue(name, this.#connection, this.#prefix)
      this.#queues.set(name, queue)
    }
    return queue
  }
}
