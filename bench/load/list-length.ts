import { setTimeout as delay } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/** Often enough for a time that is measured by it, seldom enough to cost Redis nothing. */
const lookEveryMs = 3

/** Resolves when a list of BullMQ's is so long. */
export async function reached(
  redis: Redis,
  list: string,
  isSo: (length: number) => boolean,
  withinMs: number,
): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; ) {
    if (isSo(await redis.llen(list))) return
    if (Date.now() > deadline) throw new Error(`a backlog was not done within ${withinMs / 1_000} s: ${list}`)
    await delay(lookEveryMs)
  }
}
