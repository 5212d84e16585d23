import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/**
 * One of BullMQ's queues, on a connection that it shares; what the server keeps of its settings stays as it is. Each failure is
 * met where it is awaited, so it is heard here only by who wants to.
 */
export function openQueue(
  name: string,
  connection: Redis,
  prefix: string,
  onError: (error: Error) => void = () => undefined,
): Queue {
  const queue = new Queue(name, { connection, prefix, skipMetasUpdate: true })
  queue.on('error', onError)
  return queue
}
