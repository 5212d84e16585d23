import type { Bench } from '../bench.ts'
import type { Contestant } from '../compare/contestants.ts'
import { noopJobs, obviousWorker, onGraphileWorker, onPgBoss, ourWorker, rawTransit } from '../compare/contestants.ts'
import type { Measured } from '../compare/request-queue.ts'
import type { Sizes } from '../compare/sizes.ts'
import { sizesOf } from '../compare/sizes.ts'
import type { Spread } from '../measure/statistics.ts'
import { spreadOf, spreadOver } from '../measure/statistics.ts'
import { sumOf } from '../measure/usage.ts'
import { barChart } from '../report/charts.ts'
import type { Cell, Figure, Suite, SuiteResult } from '../suite.ts'

const axisStep = 10_000

/** A contestant's measurements, one for each round. */
interface Result {
  readonly contestant: Contestant
  readonly rounds: Measured[]
}
interface Results {
  readonly raw: Result
  readonly noop: Result
  readonly ours20: Result
  readonly ours1: Result
  readonly obvious: Result
  readonly graphile: Result
  readonly pgBossEach: Result
  readonly pgBossAll: Result
}

/** The same requests for the same records, answered in different ways. */
export const compare: Suite = {
  name: 'compare',
  about: 'the same handler and data on the worker one writes first, and on other queues with the batches they offer',
  async run(bench) {
    const sizes = sizesOf(bench)
    const results = await enter(bench, sizes)
    try {
      await measureRounds(bench, Object.values(results), sizes)
    } finally {
      for (const { contestant } of Object.values(results)) await contestant.remove?.()
    }
    return resultOf(results, sizes)
  },
}

/** Each warmed up, and set as it goes fastest. */
async function enter(bench: Bench, sizes: Sizes): Promise<Results> {
  const result = (contestant: Contestant): Result => ({ contestant, rounds: [] })
  const started = (what: string) => bench.step(`compare: warming up and setting ${what}`)
  started('raw Transit and no-op jobs')
  const [raw, noop] = [result(await rawTransit(bench, sizes)), result(await noopJobs(bench, sizes))]
  started('this project')
  const [ours20, ours1] = await ourWorker(bench, sizes)
  started('the obvious worker')
  const obvious = result(await obviousWorker(bench, sizes))
  started('graphile-worker')
  const graphile = result(await onGraphileWorker(bench, sizes))
  started('pg-boss')
  const [pgBossEach, pgBossAll] = (await onPgBoss(bench, sizes)).map(result) as [Result, Result]
  return { raw, noop, ours20: result(ours20), ours1: result(ours1), obvious, graphile, pgBossEach, pgBossAll }
}

async function measureRounds(bench: Bench, results: readonly Result[], { rounds }: Sizes): Promise<void> {
  for (let round = 1; round <= rounds; round++) {
    bench.step(`compare: round ${round} of ${rounds}`)
    // The other way round every other time: nothing gains by its place.
    for (const { contestant, rounds: measured } of round % 2 === 0 ? results.toReversed() : results)
      measured.push(await contestant.measure())
  }
}

function resultOf(results: Results, sizes: Sizes): SuiteResult {
  const all = Object.values(results) as Result[]
  return {
    load: loadText(sizes),
    tables: [
      {
        title: 'From a full queue',
        columns: ['', 'items/s', '÷ raw', 'this project, jobs of 20 ÷ it', 'at once'],
        rows: all.map((it): Cell[] => [
          nameOf(it),
          throughput(it),
          ratio(it, results.raw),
          ratio(results.ours20, it),
          it.contestant.setting,
        ]),
      },
      {
        title: 'CPU, µs an item',
        columns: ['', 'worker', 'OpenBao', 'Postgres', 'Valkey', 'all'],
        rows: all.filter((it) => it !== results.noop).map((it): Cell[] => [nameOf(it), ...cpuCells(it)]),
        note: 'raw Transit: its client in the place of the worker',
      },
      {
        title: 'What they are',
        columns: ['', ''],
        rows: all.map((it): Cell[] => [nameOf(it), it.contestant.what]),
      },
    ],
    figures: figuresOf(results),
    charts: [
      barChart({
        name: 'compare-throughput',
        title: 'The same requests, answered in different ways',
        subtitle: `from a full queue, one process each; median of ${sizes.rounds} rounds, the line from least to greatest`,
        unit: 'items/s',
        categories: all.map(({ contestant }) => contestant.label),
        series: [{ name: 'items/s', values: all.map(throughput) }],
        // The axis would end at the highest bar, below the end of its line.
        most: Math.ceil(Math.max(...all.map((it) => throughput(it).max)) / axisStep) * axisStep,
      }),
    ],
  }
}

function loadText({ rounds, rawSeconds, noops, ours, ourSingles, obvious, each, whole }: Sizes): string {
  const count = (n: number) => n.toLocaleString('en')
  return [
    `backlogs of sealed requests for the same records: ${count(ours)} items in jobs of 20 and ${count(ourSingles)} in jobs of one for this project, ${count(obvious)} in jobs of one for the obvious worker, ${count(each)} in jobs of 20 for graphile-worker and pg-boss, ${count(whole)} where it handles whole batches; ${count(noops)} no-op jobs; raw Transit for ${rawSeconds} s`,
    `${rounds} rounds, all contestants in each, every other round in reverse: median (least–greatest); ratios are of one round`,
    'each set as it went fastest of a few settings tried before; every reply was opened and compared, every item found in the audit',
  ].join('\n')
}

const nameOf = ({ contestant }: Result): string => contestant.name
const throughput = ({ rounds }: Result): Spread => spreadOf(rounds.map(({ itemsPerS }) => itemsPerS))

function cpuCells({ rounds }: Result): Cell[] {
  const seen = new Set(rounds.flatMap(({ cpuPerItem }) => Object.keys(cpuPerItem)))
  const processes = ['worker', 'openbao', 'postgres', 'valkey'].map(
    (process): Cell => (seen.has(process) ? spreadOver(rounds, ({ cpuPerItem }) => cpuPerItem[process]) : '–'),
  )
  return [...processes, spreadOver(rounds, ({ cpuPerItem }) => sumOf(cpuPerItem))]
}

function ratio(upper: Result, lower: Result): Spread {
  return spreadOf(
    upper.rounds.map(({ itemsPerS }, round) => itemsPerS / (lower.rounds[round]?.itemsPerS ?? Number.NaN)),
  )
}

function figuresOf({ ours20, obvious, graphile, pgBossEach, pgBossAll }: Results): SuiteResult['figures'] {
  const over = (rival: Result): Figure => {
    const spread = ratio(ours20, rival)
    return { value: spread.median, spread, note: `${nameOf(rival)}; at once: ${rival.contestant.setting}` }
  }
  const [best = graphile] = [graphile, pgBossEach, pgBossAll].sort(
    (a, b) => throughput(b).median - throughput(a).median,
  )
  return { 'detok-20-over-obvious': over(obvious), 'detok-20-over-other-queues': over(best) }
}
