import { Worker } from 'bullmq'
import { replyJobId } from '../../shared/contract/names.ts'
import { connectQueue } from '../../shared/queue/connection.ts'
import { createHandler } from '../compare/handler.ts'
import { oneByOne } from '../compare/records.ts'
import { openServers } from '../compare/servers.ts'
import { serve } from './ipc.ts'

// The worker one writes first: one job is one item, and each job makes its own lookup, unwrap call, audit insert and reply.

const name = 'obvious'
const databaseConnections = 16

const { config, log, dependencies, database, close } = await openServers(name, databaseConnections)
const handle = createHandler(dependencies, oneByOne(database, name))
const connection = connectQueue(config.queue.url, log, 'patient')
const worker = new Worker<unknown>(
  'detok',
  async ({ id = '', data }) => {
    for (const { request, reply } of await handle([{ id, data }])) {
      const jobId = replyJobId('detok', request.id, request.digest)
      await dependencies.redis.use((queues) => queues.publish(request.reply, 'reply', reply, jobId))
    }
  },
  { connection, prefix: config.queue.prefix, removeOnComplete: { count: 0 } },
)
// A failed job would leave the bench waiting for its reply.
worker.on('failed', (_, error) => {
  console.error(error)
  process.exit(1)
})
worker.on('error', (error) => console.error(error))
await worker.waitUntilReady()

const handlers = {
  setConcurrency: (concurrency: number) => {
    worker.concurrency = concurrency
  },
}
export type ObviousWorkerHandlers = typeof handlers
serve(handlers, async () => {
  await worker.close()
  connection.disconnect()
  await close()
})
