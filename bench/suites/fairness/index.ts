import type { Latency, Spread } from '../../measure/statistics.ts'
import { latencyOf, percentile, spreadOf, spreadOver } from '../../measure/statistics.ts'
import { lineChart } from '../../report/charts.ts'
import type { Cell, Figure, Suite, SuiteResult, Table } from '../../suite.ts'
import type { Block, Measurements, Sizes } from './measurements.ts'
import { bulkJobItems, bulkJobsWaiting, everyMs, measure, sizesOf } from './measurements.ts'

/** Whether somebody who asks for one value waits behind files. */
export const fairness: Suite = {
  name: 'fairness',
  about: `a job of one item every ${everyMs} ms, with and without jobs of ${bulkJobItems.toLocaleString('en')} that keep the queue full`,
  async run(bench) {
    const sizes = sizesOf(bench)
    return resultOf(sizes, await measure(bench))
  },
}

function resultOf({ blocks, seconds }: Sizes, all: Measurements): SuiteResult {
  const [alone, underBulk] = [latencyOf(latenciesOf(all.alone)), latencyOf(latenciesOf(all.underBulk))]
  const load =
    `one replica; open loop, latency from the time at which a call of the client was due to its outcome; ${blocks} blocks of ${seconds} s each, in turns. ` +
    `Bulk: ${bulkJobsWaiting} requests of another actor wait at any time, submitted by the client in a process of its own`
  return {
    load,
    tables: [
      {
        title: 'A job of one item',
        columns: ['', 'calls', 'p50, ms', 'p95, ms', 'p99, ms', 'most, ms', 'worker, items/s'],
        rows: [
          latencyRow('without bulk', alone, all.alone),
          latencyRow('under bulk', underBulk, all.underBulk),
          ['ratio', '', ...(['p50', 'p95', 'p99', 'max'] as const).map((at) => underBulk[at] / alone[at]), ''],
        ],
      },
      stageTable(all),
    ],
    figures: { 'small-job-under-bulk': ratioFigure(underBulk.p99 / alone.p99, all) },
    charts: [
      lineChart({
        name: 'fairness-latency',
        title: `A job of one item, while jobs of ${bulkJobItems.toLocaleString('en')} keep the queue full`,
        subtitle: `from the time at which it was due to its outcome; ${alone.count} calls each`,
        unit: 'ms',
        categoryTitle: 'percentile of calls',
        categories: shares.map((share) => (share === 1 ? 'most' : `p${share * 100}`)),
        series: [
          { name: 'without bulk', values: shares.map((share) => percentile(latenciesOf(all.alone), share)) },
          { name: 'under bulk', values: shares.map((share) => percentile(latenciesOf(all.underBulk), share)) },
        ],
      }),
    ],
  }
}

const shares = [0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1]

const latenciesOf = (blocks: readonly Block[]): number[] => blocks.flatMap(({ latenciesMs }) => latenciesMs)

const latencyRow = (name: string, { count, p50, p95, p99, max }: Latency, blocks: readonly Block[]): Cell[] => [
  name,
  count,
  p50,
  p95,
  p99,
  max,
  spreadOver(blocks, (it) => it.itemsPerS),
]

/** Of all calls; the spread is that of the blocks, each of which has few calls in its last hundredth. */
function ratioFigure(value: number, { alone, underBulk }: Measurements): Figure {
  const ratios = underBulk.map(({ latenciesMs }, block) => {
    const beside = alone[block]?.latenciesMs ?? []
    return percentile(latenciesMs, 0.99) / percentile(beside, 0.99)
  })
  const { min, max, count }: Spread = spreadOf(ratios)
  return { value, spread: { median: value, min, max, count } }
}

function stageTable({ alone, underBulk }: Measurements): Table {
  const stages = Object.keys(underBulk[0]?.durations ?? {})
  const of = (blocks: readonly Block[], stage: string, at: 'p50' | 'p99') =>
    spreadOver(blocks, (it) => it.durations[stage]?.[at])
  return {
    title: 'The worker’s stages meanwhile, ms',
    columns: ['', 'p50', 'p99', 'p50 under bulk', 'p99 under bulk'],
    rows: stages.map((stage) => [
      stage,
      ...[alone, underBulk].flatMap((blocks) => [of(blocks, stage, 'p50'), of(blocks, stage, 'p99')]),
    ]),
    note: 'Under bulk a stage serves both kinds: batches of 20 that a small job’s item shares; `open`, `reply` and `job` are of large jobs too.',
  }
}
