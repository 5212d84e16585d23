import type { Job } from 'pg-boss'
import { PgBoss } from 'pg-boss'
import { DrainWatch } from '../compare/drain-watch.ts'
import { createHandler } from '../compare/handler.ts'
import type { PostgresQueueHandlers } from '../compare/postgres-queue.ts'
import { together } from '../compare/records.ts'
import { openServers } from '../compare/servers.ts'
import { serve } from './ipc.ts'

// The same handler on pg-boss, with its batches: several workers, each of which fetches, completes and answers so many jobs in a
// statement, and the next at once while batches come back full. A table for each queue. Completed jobs are kept, as is its default.

const name = 'pg-boss'
const databaseConnections = 12
const requestQueue = 'detok'
const replyQueue = 'reply'
const mostReplies = 100_000

const { BENCH_QUEUE_DATABASE_URL: connectionString = '', BENCH_SCHEMA: schema = '' } = process.env
const { dependencies, database, close } = await openServers(name, databaseConnections)
const handle = createHandler(dependencies, together(database, name))
const boss = new PgBoss({ connectionString, schema })
boss.on('error', (error) => console.error(error))
await boss.start()
await boss.createQueue(requestQueue, { partition: true })
await boss.createQueue(replyQueue, { partition: true })
let drain = new DrainWatch(0)

export interface PgBossSetting {
  /** What is looked up, audited and answered in a statement: each request of a batch by itself, or all of them. */
  readonly handled: 'each' | 'all'
  readonly batchSize: number
  readonly localConcurrency: number
}

async function answer(jobs: Job<unknown>[]): Promise<void> {
  const answers = await handle(jobs)
  // Its ids are uuids; a request has one reply, so the request's own serves.
  await boss.insert(
    replyQueue,
    answers.map(({ request, reply }) => ({ id: request.id, data: reply })),
  )
  drain.answered(answers.length)
}

const detok = (handled: PgBossSetting['handled']) => async (jobs: Job<unknown>[]) => {
  drain.taken()
  try {
    if (handled === 'all') await answer(jobs)
    else await Promise.all(jobs.map((job) => answer([job])))
  } catch (error) {
    drain.failed(error)
    throw error
  }
}

const handlers: PostgresQueueHandlers<PgBossSetting> = {
  fill: async (requests) => {
    await boss.insert(
      requestQueue,
      requests.map(({ id, data }) => ({ id, data: data as object })),
    )
  },
  start: async ({ setting, requests }) => {
    drain = new DrainWatch(requests)
    const { handled, ...batches } = setting
    await boss.work(requestQueue, { ...batches, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 }, detok(handled))
    await drain.started
  },
  finished: () => drain.finished,
  stop: () => boss.offWork(requestQueue),
  replies: async () => {
    const jobs = await boss.fetch<object>(replyQueue, { batchSize: mostReplies })
    await boss.deleteJob(
      replyQueue,
      jobs.map(({ id }) => id),
    )
    return jobs.map(({ data }): unknown => data)
  },
}
serve(handlers, async () => {
  await boss.stop({ graceful: false })
  await close()
})
