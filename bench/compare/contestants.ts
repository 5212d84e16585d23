import type { Bench } from '../bench.ts'
import { fastestOf } from '../load/fastest.ts'
import { NoopQueue } from '../load/noop-queue.ts'
import { RawTransit } from '../load/raw-transit.ts'
import type { GraphileWorkerSetting } from '../processes/graphile-worker.ts'
import type { ObviousWorkerHandlers } from '../processes/obvious-worker.ts'
import type { PgBossSetting } from '../processes/pg-boss.ts'
import { BullMqQueue } from './bullmq-queue.ts'
import { PostgresQueue } from './postgres-queue.ts'
import type { Measured } from './request-queue.ts'
import { measureQueue } from './request-queue.ts'
import type { Sizes } from './sizes.ts'

export interface Contestant {
  readonly name: string
  /** The name as it fits under a bar. */
  readonly label: string
  readonly what: string
  /** How much of it runs at once. */
  readonly setting: string
  readonly measure: () => Promise<Measured>
  readonly remove?: () => Promise<void>
}

const program = (name: string): URL => new URL(`../processes/${name}.ts`, import.meta.url)

export async function rawTransit(bench: Bench, { rawSeconds }: Sizes): Promise<Contestant> {
  const raw = await RawTransit.start(bench, 'detok')
  const load = { batch: 20, callers: 16 }
  await raw.warmUp(load)
  return {
    name: 'raw Transit',
    label: 'raw\nTransit',
    what: 'the ceiling: unwraps in calls of 20, and nothing else',
    setting: `${load.callers} callers`,
    measure: async () => {
      const { itemsPerS, cpuPerItem } = await raw.closed({ ...load, extent: { seconds: rawSeconds } })
      return { itemsPerS, cpuPerItem: { worker: cpuPerItem['client'], openbao: cpuPerItem['openbao'] } }
    },
  }
}

export async function noopJobs(bench: Bench, { noops }: Sizes): Promise<Contestant> {
  const queue = await NoopQueue.start(bench, noops)
  return {
    name: 'BullMQ, no-op jobs',
    label: 'BullMQ,\nno-op jobs',
    what: 'the queue’s ceiling for jobs of one: nothing is done with them',
    setting: `${queue.concurrency} jobs`,
    measure: async () => ({ itemsPerS: await queue.measure(noops), cpuPerItem: {} }),
  }
}

/** With jobs of 20 and with jobs of one. */
export async function ourWorker(bench: Bench, { ours, ourSingles, warmUp }: Sizes): Promise<[Contestant, Contestant]> {
  const worker = await bench.worker('detok')
  const queue = new BullMqQueue(bench, bench.vault.prefix, worker.pid)
  for (const jobItems of [20, 1]) await measureQueue(bench, queue, { jobItems, items: warmUp })
  const contestant = (jobItems: number, items: number, size: string) => ({
    name: `this project, jobs of ${size}`,
    label: `this project,\njobs of ${size}`,
    what: `one replica; requests of ${jobItems === 1 ? 'one item' : `${jobItems} items`}`,
    setting: '32 batches of 20',
    measure: () => measureQueue(bench, queue, { jobItems, items }),
  })
  return [contestant(20, ours, '20'), contestant(1, ourSingles, 'one')]
}

const obviousConcurrencies = [16, 32, 64, 128]

export async function obviousWorker(bench: Bench, { obvious: items, warmUp }: Sizes): Promise<Contestant> {
  // A prefix of its own, since the two workers answer requests of the same queue.
  const prefix = `${bench.vault.prefix}-obvious`
  const env = { ...bench.vault.environment('detok'), QUEUE_PREFIX: prefix }
  const worker = await bench.child<ObviousWorkerHandlers>(program('obvious-worker'), env)
  const queue = new BullMqQueue(bench, prefix, worker.pid)
  const measure = (of: number) => measureQueue(bench, queue, { jobItems: 1, items: of })
  await measure(warmUp)
  const concurrency = await fastestOf(obviousConcurrencies, async (tried) => {
    await worker.ask('setConcurrency', tried)
    return (await measure(items / 2)).itemsPerS
  })
  await worker.ask('setConcurrency', concurrency)
  return {
    name: 'the obvious worker, jobs of one',
    label: 'the obvious\nworker',
    what: 'BullMQ; each job makes a lookup, an unwrap call, an audit insert and a reply of its own',
    setting: `${concurrency} jobs`,
    measure: () => measure(items),
  }
}

interface PostgresContestant<Setting> extends Pick<Contestant, 'name' | 'label' | 'what'> {
  readonly settings: readonly Setting[]
  readonly items: number
  readonly settingText: (setting: Setting) => string
}

export async function onGraphileWorker(bench: Bench, sizes: Sizes): Promise<Contestant> {
  const settings = [4, 8, 16].map((concurrentJobs): GraphileWorkerSetting => ({ concurrentJobs }))
  const queue = await PostgresQueue.start<GraphileWorkerSetting>(
    bench,
    program('graphile-worker'),
    'bench_graphile_worker',
  )
  return onPostgres(bench, sizes, queue, {
    name: 'graphile-worker, jobs of 20',
    label: 'graphile-\nworker',
    what: 'jobs are fetched 500 at a time and completed together; each is handled by itself',
    settings,
    items: sizes.each,
    settingText: ({ concurrentJobs }) => `${concurrentJobs} jobs`,
  })
}

/** Its handlers get several jobs. They may handle each by itself; or all as one, and share its fate. */
export async function onPgBoss(bench: Bench, sizes: Sizes): Promise<[Contestant, Contestant]> {
  const settings = (handled: PgBossSetting['handled'], ...batches: [workers: number, jobs: number][]) =>
    batches.map(([localConcurrency, batchSize]): PgBossSetting => ({ handled, localConcurrency, batchSize }))
  const settingText = ({ batchSize, localConcurrency }: PgBossSetting) => `${localConcurrency} × ${batchSize} jobs`
  const each = settings('each', [8, 5], [4, 10], [4, 20], [4, 50])
  const queue = await PostgresQueue.start<PgBossSetting>(bench, program('pg-boss'), 'bench_pg_boss')
  return [
    await onPostgres(bench, sizes, queue, {
      name: 'pg-boss, jobs of 20, each by itself',
      label: 'pg-boss,\neach job',
      what: 'jobs are fetched and completed in batches; each is handled by itself',
      settings: each,
      items: sizes.each,
      settingText,
    }),
    await onPostgres(bench, sizes, queue, {
      name: 'pg-boss, jobs of 20, whole batches',
      label: 'pg-boss,\nwhole batch',
      what: 'the same, and a batch of jobs is looked up, audited and answered as one: if one fails, all do',
      settings: settings('all', [4, 20], [2, 50], [4, 50], [2, 100]),
      items: sizes.whole,
      settingText,
    }),
  ]
}

async function onPostgres<Setting>(
  bench: Bench,
  { warmUp }: Sizes,
  queue: PostgresQueue<Setting>,
  { settings, items, settingText, ...described }: PostgresContestant<Setting>,
): Promise<Contestant> {
  const measure = (setting: Setting, of: number) => measureQueue(bench, queue.at(setting), { jobItems: 20, items: of })
  await measure(settings[0] as Setting, warmUp)
  const fastest = await fastestOf(settings, async (tried) => (await measure(tried, items / 2)).itemsPerS)
  return {
    ...described,
    setting: settingText(fastest),
    measure: () => measure(fastest, items),
    remove: () => queue.remove(),
  }
}
