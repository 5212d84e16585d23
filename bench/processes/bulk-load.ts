import { setTimeout as delay } from 'node:timers/promises'
import { createClient } from '../../producers/index.ts'
import { readProducerConfig } from '../../shared/config/environment.ts'
import { createLogger } from '../../shared/log/log.ts'
import { connectQueue } from '../../shared/queue/connection.ts'
import { serve } from './ipc.ts'

// A producer of large detok requests that never lets the queue run empty. It collects no answers.

const lookEveryMs = 20
/** Nothing expires on the queue while it is kept full. */
const timeoutMs = 3_000_000

const config = readProducerConfig(process.env)
const client = await createClient({ ...config, replyName: process.env['BENCH_REPLY_NAME'] ?? '' })
const connection = connectQueue(config.queue.url, createLogger('warn', 'bench'), 'patient')
const key = `${config.queue.prefix}:detok`

export interface BulkLoad {
  readonly tokens: readonly string[]
  readonly jobItems: number
  /** Requests that wait on the queue. */
  readonly waiting: number
}

let load: BulkLoad = { tokens: [], jobItems: 0, waiting: 0 }
let running: { stopped: boolean; readonly ended: Promise<void> } | undefined
let next = 0
let submitted = 0

/** The next tokens, in turn. */
function someTokens(): string[] {
  const { tokens, jobItems } = load
  return Array.from({ length: jobItems }, () => tokens[next++ % tokens.length] as string)
}

async function fill(): Promise<void> {
  // BullMQ's own counting also looks at a job, which is not for a producer to see.
  const [wait, prioritized] = [await connection.llen(`${key}:wait`), await connection.zcard(`${key}:prioritized`)]
  const lacking = Math.max(0, load.waiting - wait - prioritized)
  for (let i = 0; i < lacking; i++) {
    await client.submit('detok', someTokens(), { purpose: 'bench', timeoutMs })
    submitted++
  }
}

async function keepFull(state: { stopped: boolean }): Promise<void> {
  while (!state.stopped) {
    await fill()
    await delay(lookEveryMs)
  }
}

const handlers = {
  use: (wanted: BulkLoad) => {
    load = wanted
  },
  /** Resolves when the queue is full; it is kept so from then on. */
  start: async () => {
    await fill()
    const state = { stopped: false }
    running = Object.assign(state, { ended: keepFull(state) })
  },
  /** Adds no more. How many requests were submitted in all. */
  stop: async () => {
    if (running !== undefined) running.stopped = true
    await running?.ended
    return submitted
  },
}
export type BulkLoadHandlers = typeof handlers
serve(handlers, async () => {
  await handlers.stop()
  await client.close()
  connection.disconnect()
})
