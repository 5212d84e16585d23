import type { Redis } from 'ioredis'
import { queues } from '../shared/contract/grammar.ts'
import { deadLetterQueueName } from '../shared/contract/names.ts'
import { nextReplyQueues } from '../shared/queue/reply-queue-names.ts'

export interface QueueStatus {
  readonly queue: string
  readonly waiting: number
  readonly active: number
  readonly deadLetters: number
  /** Of the jobs that wait; null if none does. */
  readonly oldestSeconds: number | null
}

export interface ReplyQueueStatus {
  readonly queue: string
  readonly waiting: number
  readonly oldestSeconds: number | null
}

/** What waits on the request queues, and on each reply queue that has something on it. */
export async function queueStatus(
  connection: Redis,
  prefix: string,
): Promise<{ queues: QueueStatus[]; replies: ReplyQueueStatus[] }> {
  const statuses = queues.map(async (queue): Promise<QueueStatus> => {
    const key = `${prefix}:${queue}`
    const [small, bulk, active, deadLetters] = await Promise.all([
      connection.llen(`${key}:wait`),
      connection.zcard(`${key}:prioritized`),
      connection.llen(`${key}:active`),
      connection.llen(`${prefix}:${deadLetterQueueName(queue)}:wait`),
    ])
    const oldest = await Promise.all([
      connection.lindex(`${key}:wait`, -1),
      connection.zrange(`${key}:prioritized`, 0, 0).then(([id]) => id),
    ])
    const ages = await Promise.all(oldest.map((id) => ageSeconds(connection, key, id)))
    const known = ages.filter((age) => age !== null)
    const oldestSeconds = known.length === 0 ? null : Math.max(...known)
    return { queue, waiting: small + bulk, active, deadLetters, oldestSeconds }
  })
  return { queues: await Promise.all(statuses), replies: await replyQueues(connection, prefix) }
}

async function replyQueues(connection: Redis, prefix: string): Promise<ReplyQueueStatus[]> {
  const all = new Set<string>()
  for (let cursor = '0'; ; ) {
    const step = await nextReplyQueues(connection, prefix, cursor)
    for (const name of step.names) all.add(name)
    cursor = step.cursor
    if (cursor === '0') break
  }
  const statuses: ReplyQueueStatus[] = []
  for (const queue of [...all].sort()) {
    const key = `${prefix}:${queue}`
    const [waiting, id] = await Promise.all([connection.llen(`${key}:wait`), connection.lindex(`${key}:wait`, -1)])
    if (waiting > 0) statuses.push({ queue, waiting, oldestSeconds: await ageSeconds(connection, key, id) })
  }
  return statuses
}

async function ageSeconds(connection: Redis, key: string, id: string | null | undefined): Promise<number | null> {
  if (id === null || id === undefined) return null
  const put = Number((await connection.hget(`${key}:${id}`, 'timestamp')) ?? Number.NaN)
  return Number.isFinite(put) ? Math.max(0, Math.round((Date.now() - put) / 1_000)) : null
}
