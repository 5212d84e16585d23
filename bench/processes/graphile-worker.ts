import type { JobHelpers, Runner, RunnerOptions } from 'graphile-worker'
import { Logger, makeWorkerUtils, run, runOnce } from 'graphile-worker'
import { replyJobId } from '../../shared/contract/names.ts'
import { DrainWatch } from '../compare/drain-watch.ts'
import { createHandler } from '../compare/handler.ts'
import type { PostgresQueueHandlers } from '../compare/postgres-queue.ts'
import { together } from '../compare/records.ts'
import { openServers } from '../compare/servers.ts'
import { serve } from './ipc.ts'

// The same handler on graphile-worker, with batches as its documentation has them for throughput: jobs are fetched 500 at a time
// into a local queue and completed several in a statement (worker.graphile.org/docs/performance). Completed jobs are deleted.

const name = 'graphile-worker'
const databaseConnections = 12
const localQueueSize = 500

const { BENCH_QUEUE_DATABASE_URL: connectionString = '', BENCH_SCHEMA: schema = '' } = process.env
const { dependencies, database, close } = await openServers(name, databaseConnections)
const handle = createHandler(dependencies, together(database, name))
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message)
})
const shared = { connectionString, schema, logger }
const utils = await makeWorkerUtils({ ...shared, maxPoolSize: 2 })
await utils.migrate()
let drain = new DrainWatch(0)
let runner: Runner | undefined

export interface GraphileWorkerSetting {
  readonly concurrentJobs: number
}

const options = ({ concurrentJobs }: GraphileWorkerSetting): RunnerOptions => ({
  noHandleSignals: true,
  preset: {
    worker: {
      ...shared,
      concurrentJobs,
      maxPoolSize: concurrentJobs + 2,
      localQueue: { size: localQueueSize },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
})

async function detok(data: unknown, { job, addJob }: JobHelpers): Promise<void> {
  drain.taken()
  try {
    const answers = await handle([{ id: job.key ?? '', data }])
    for (const { request, reply } of answers)
      await addJob('reply', reply, { jobKey: replyJobId('detok', request.id, request.digest) })
    drain.answered(answers.length)
  } catch (error) {
    drain.failed(error)
    throw error
  }
}

const handlers: PostgresQueueHandlers<GraphileWorkerSetting> = {
  fill: async (requests) => {
    await utils.addJobs(requests.map(({ id, data }) => ({ identifier: 'detok', payload: data, jobKey: id })))
  },
  start: async ({ setting, requests }) => {
    drain = new DrainWatch(requests)
    runner = await run({ ...options(setting), taskList: { detok } })
    await drain.started
  },
  finished: () => drain.finished,
  stop: async () => runner?.stop(),
  replies: async () => {
    const replies: unknown[] = []
    await runOnce({
      ...options({ concurrentJobs: 4 }),
      taskList: { reply: (content: unknown) => void replies.push(content) },
    })
    return replies
  },
}
serve(handlers, async () => {
  await utils.release()
  await close()
})
