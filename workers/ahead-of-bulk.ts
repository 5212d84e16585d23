import type { QueueBaseOptions } from 'bullmq'
import { RedisQueueBackend } from 'bullmq'
import { makeJobsReadable } from './readable-jobs.ts'

/**
 * The same queue, of which only the jobs without a priority can be fetched: keys that hold nothing stand for those of the
 * others. BullMQ itself turns to the jobs with one as soon as another worker has been faster with the rest.
 */
export function aheadOfBulk(of: RedisQueueBackend, name: string, options: QueueBaseOptions): RedisQueueBackend {
  const none = of.toKey('none')
  const keys = { ...of.keys, prioritized: none, delayed: none }
  const toKey = (type: string) => of.toKey(type)
  const backend = new RedisQueueBackend(of.connection, name, keys, toKey, options, undefined, false)
  makeJobsReadable(backend)
  return backend
}
