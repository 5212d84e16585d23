import type { Job } from 'bullmq'
import type { DeadLetter } from '../shared/contract/dead-letter.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { requestId } from '../shared/contract/grammar.ts'
import { deadLetterId, deadLetterQueueName } from '../shared/contract/names.ts'
import { digestOf } from '../shared/contract/seal.ts'
import type { RequestErrorCode } from '../shared/errors/catalogue.ts'
import type { Dependencies } from './dependencies.ts'
import { UnreadableData } from './readable-jobs.ts'
import { attemptOf, envelopeOf } from './stages/open.ts'

/**
 * Keeps what was refused as a whole or given up. The id is made from the job's own and the time it was put on the queue: a job
 * that runs twice leaves one letter, and one that an operator puts back, and that is refused again, leaves another.
 */
export function createDeadLetters(queue: QueueName, { redis, workerName }: Dependencies) {
  return async (job: Job<unknown>, code: RequestErrorCode, answered: boolean): Promise<void> => {
    const letter: DeadLetter = {
      v: 1,
      queue,
      code,
      at: new Date().toISOString(),
      worker: workerName,
      attempts: attemptOf(job),
      answered,
      id: requestId.safeParse(job.id).data ?? null,
      bytes: bytesOf(job.data),
      request: envelopeOf(job.data) ?? null,
    }
    // It comes from the job's hash, where anything may stand.
    const putAt = Number.isSafeInteger(job.timestamp) ? job.timestamp : 0
    const letterId = deadLetterId(queue, digestOf(Buffer.from(job.id ?? '')), putAt)
    await redis.use((queues) => queues.publish(deadLetterQueueName(queue), 'dead', letter, letterId))
  }
}

const bytesOf = (data: unknown): number =>
  data instanceof UnreadableData ? data.bytes : Buffer.byteLength(JSON.stringify(data))
