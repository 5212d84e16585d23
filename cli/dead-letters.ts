import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { rankOf } from '../producers/limits.ts'
import type { DeadLetter } from '../shared/contract/dead-letter.ts'
import { deadLetter } from '../shared/contract/dead-letter.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { limits, queues } from '../shared/contract/grammar.ts'
import { deadLetterQueueName, replyJobId } from '../shared/contract/names.ts'
import { digestOf } from '../shared/contract/seal.ts'
import { openQueue } from '../shared/queue/queue.ts'

export interface Kept {
  /** What operators name it by. */
  readonly letterId: string
  readonly letter: DeadLetter
}

export interface Filter {
  readonly queue?: QueueName | undefined
  readonly code?: string | undefined
}

/** Why a dead letter was left as it is. */
export type Left = 'unknown' | 'no request' | 'expired' | 'on the queue'

const idsPerPage = 500

/** The dead letters of both queues, as an operator handles them. */
export class DeadLetters {
  readonly #connection: Redis
  readonly #prefix: string
  readonly #queues = new Map<string, Queue>()

  constructor(connection: Redis, prefix: string) {
    this.#connection = connection
    this.#prefix = prefix
  }

  /** Those that the filter lets through, the oldest of each queue first. What is no letter of a worker's is passed over. */
  async *matching({ queue, code }: Filter): AsyncGenerator<Kept> {
    for (const name of queue === undefined ? queues : [queue]) {
      const key = `${this.#prefix}:${deadLetterQueueName(name)}:wait`
      // All at once, as the list changes while its letters are handled.
      const ids = (await this.#connection.lrange(key, 0, -1)).reverse()
      for (let at = 0; at < ids.length; at += idsPerPage) {
        const page = await Promise.all(ids.slice(at, at + idsPerPage).map((id) => this.find(id)))
        for (const kept of page) if (kept !== undefined && (code === undefined || kept.letter.code === code)) yield kept
      }
    }
  }

  async find(letterId: string): Promise<Kept | undefined> {
    const queue = queues.find((name) => letterId.startsWith(`${name}.`))
    if (queue === undefined) return undefined
    const data = await this.#connection.hget(`${this.#prefix}:${deadLetterQueueName(queue)}:${letterId}`, 'data')
    const letter = deadLetter.safeParse(parsed(data)).data
    return letter?.queue === queue ? { letterId, letter } : undefined
  }

  /**
   * Puts the request on its queue again, under its old id, and then removes the letter: whatever happens between, nothing is
   * lost. Undefined, or why it was not done.
   */
  async redrive({ letterId, letter }: Kept, force: boolean): Promise<Left | undefined> {
    const { queue: name, id, request } = letter
    if (request === null || id === null) return 'no request'
    if (!force && (request.exp + limits.clockSkewSeconds) * 1_000 < Date.now()) return 'expired'
    const queue = this.#queue(name)
    const before = await queue.getJob(id)
    // Under the id of a job that is done, BullMQ would take in nothing.
    if (before !== undefined && !['completed', 'failed'].includes(await before.getState())) return 'on the queue'
    await before?.remove()
    // A refusal that is still unread has the id under which the new reply would come.
    if (letter.answered)
      await this.#queue(request.reply).remove(replyJobId(name, id, digestOf(Buffer.from(request.body, 'base64'))))
    const job = await queue.add(name, request, { jobId: id, ...rankOf(request.items) })
    if (job.id !== id) throw new Error('the queue did not take the request')
    await this.drop(letterId, name)
    return undefined
  }

  /** False if it was gone already. */
  async drop(letterId: string, queue: QueueName): Promise<boolean> {
    return (await this.#queue(deadLetterQueueName(queue)).remove(letterId)) === 1
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#queues.values(), (queue) => queue.close()))
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

function parsed(json: string | null): unknown {
  try {
    return JSON.parse(json ?? 'null') as unknown
  } catch {
    return undefined
  }
}
