import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../../producers/index.ts'
import { replyQueueName } from '../../../shared/contract/names.ts'
import type { TestActor } from '../../../test/harness/vault.ts'
import type { Durations } from '../../../workers/timings.ts'
import type { Bench } from '../../bench.ts'
import { recordsOf } from '../../load/backlog.ts'
import { openLoop } from '../../load/open-loop.ts'
import { producerEnvironment, temporaryDirectory } from '../../load/producer-environment.ts'
import type { BulkLoadHandlers } from '../../processes/bulk-load.ts'
import type { Child } from '../../processes/ipc.ts'
import type { WorkerHandlers } from '../../processes/worker.ts'

export const everyMs = 50
export const bulkJobItems = 1_000
/** About two seconds of work. */
export const bulkJobsWaiting = 20

export interface Sizes {
  readonly blocks: number
  /** Of a block. */
  readonly seconds: number
}

export const sizesOf = ({ quick }: Bench): Sizes => (quick ? { blocks: 3, seconds: 4 } : { blocks: 6, seconds: 8 })

/** A stretch of small jobs. */
export interface Block {
  /** From the time at which a call was due to its outcome. */
  readonly latenciesMs: readonly number[]
  /** Of the worker's stages, for whichever jobs. */
  readonly durations: Readonly<Record<string, Durations>>
  /** That the worker did meanwhile, the small jobs' among them. */
  readonly itemsPerS: number
}

export interface Measurements {
  readonly alone: readonly Block[]
  readonly underBulk: readonly Block[]
}

/** Blocks in turns, so that both see the same weather. */
export async function measure(bench: Bench): Promise<Measurements> {
  const { blocks } = sizesOf(bench)
  const tokens = await bench.tokens(recordsOf(bench))
  const bulkActor = await bench.vault.actor('bulk')
  const worker = await bench.worker('detok')
  const bulk = await startBulk(bench, bulkActor, tokens)
  const client = await bench.vault.client(bench.actor, 'fairness')
  const small = { bench, client, tokens, worker }
  const alone: Block[] = []
  const underBulk: Block[] = []
  try {
    await smallJobs(small, { ...sizesOf(bench), seconds: 1 })
    await bulk.start()
    await smallJobs(small, { ...sizesOf(bench), seconds: 1 })
    await bulk.stop()
    for (let block = 1; block <= blocks; block++) {
      bench.step(`fairness: block ${block} of ${blocks}`)
      alone.push(await smallJobs(small, sizesOf(bench)))
      await bulk.start()
      underBulk.push(await smallJobs(small, sizesOf(bench)))
      await bulk.stop()
    }
  } finally {
    await client.close()
  }
  return { alone, underBulk }
}

interface Small {
  readonly bench: Bench
  readonly client: Client
  readonly tokens: readonly string[]
  readonly worker: Child<WorkerHandlers>
}

async function smallJobs({ client, tokens, worker }: Small, { seconds }: Sizes): Promise<Block> {
  const arrivals = Array.from({ length: Math.round((seconds * 1_000) / everyMs) }, (_, i) => i * everyMs)
  await worker.ask('resetDurations')
  const before = await worker.ask('figures')
  const offered = await openLoop(arrivals, async (index) => {
    const outcomes = await client.detok([tokens[index % tokens.length] as string], { purpose: 'bench' })
    if (!outcomes[0]?.ok) throw new Error('an item failed')
  })
  const after = await worker.ask('figures')
  if (offered.errors > 0) throw new Error(`${offered.errors} small jobs failed`)
  return {
    latenciesMs: offered.latenciesMs,
    durations: after.durations,
    itemsPerS: (after.items - before.items) / offered.seconds,
  }
}

/** Until its hands are full too, and for a moment longer. */
const settleMs = 1_000
const idleWithinMs = 30_000

/** Large requests of another actor, by the project's client in a process of its own. */
async function startBulk(bench: Bench, actor: TestActor, tokens: readonly string[]) {
  const { vault } = bench
  const replyName = 'bulk'
  const env = await producerEnvironment(vault, actor, await temporaryDirectory(vault))
  const program = new URL('../../processes/bulk-load.ts', import.meta.url)
  const child = await bench.child<BulkLoadHandlers>(program, { ...env, BENCH_REPLY_NAME: replyName })
  await child.ask('use', { tokens, jobItems: bulkJobItems, waiting: bulkJobsWaiting })
  return {
    start: async () => {
      await child.ask('start')
      await delay(settleMs)
    },
    /** Also takes off the queues what is left of it. */
    stop: async () => {
      const { wait = 0, prioritized = 0 } = await vault.queue('detok').getJobCounts('wait', 'prioritized')
      if (wait + prioritized === 0) throw new Error('the bulk jobs did not keep the queue full')
      await child.ask('stop')
      await vault.queue('detok').drain()
      for (const deadline = Date.now() + idleWithinMs; (await vault.queue('detok').getActiveCount()) > 0; ) {
        if (Date.now() > deadline) throw new Error('the worker did not finish the bulk jobs in its hands')
        await delay(20)
      }
      await vault.queue(replyQueueName(actor.name, replyName)).obliterate({ force: true })
    },
  }
}
