import { Worker } from 'bullmq'
import { createLogger } from '../../shared/log/log.ts'
import { connectQueue } from '../../shared/queue/connection.ts'
import { serve } from './ipc.ts'

// A BullMQ worker that does nothing with its jobs, on the workers' own Redis client: the queue's ceiling for jobs of one.

const { QUEUE_URL = '', QUEUE_PREFIX = '', BENCH_QUEUE = '' } = process.env
const connection = connectQueue(QUEUE_URL, createLogger('warn', 'bench'), 'patient')
const worker = new Worker(BENCH_QUEUE, async () => undefined, {
  connection,
  prefix: QUEUE_PREFIX,
})
let done = 0
let goal: { jobs: number; reached: () => void } | undefined
worker.on('completed', () => {
  if (++done === goal?.jobs) goal.reached()
})
worker.on('error', (error) => console.error(error))
await worker.waitUntilReady()

const handlers = {
  setConcurrency: (concurrency: number) => {
    worker.concurrency = concurrency
  },
  /** Resolves when it has completed this many more jobs. */
  complete: (jobs: number): Promise<void> => {
    done = 0
    return new Promise((reached) => {
      goal = { jobs, reached }
    })
  },
}
export type NoopWorkerHandlers = typeof handlers
serve(handlers, async () => {
  await worker.close()
  connection.disconnect()
})
