import type { Redis } from 'ioredis'
import { replyQueue } from '../contract/grammar.ts'

const keysPerStep = 1_000

/** A step of a walk over all keys, so that it never holds up the server. A name may come more than once. */
export interface Step {
  readonly names: string[]
  /** Where the next step goes on; `0` when the walk is at its end. */
  readonly cursor: string
}

/** The reply queues that are there, some at a time. BullMQ keeps no list of its queues, but each has a key `meta`. */
export async function nextReplyQueues(connection: Redis, prefix: string, cursor: string): Promise<Step> {
  const [next, keys] = await connection.scan(cursor, 'MATCH', `${prefix}:reply-*:meta`, 'COUNT', keysPerStep)
  const names = keys.map((key) => key.slice(prefix.length + 1, -':meta'.length))
  return { names: names.filter((name) => replyQueue.safeParse(name).success), cursor: next }
}
