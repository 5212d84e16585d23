import { batchesInFlight, itemsPerBatch } from '../../workers/batching.ts'
import type { Bench } from '../bench.ts'
import { recordsOf } from '../load/backlog.ts'
import type { ReplicaLoad, Throughput } from '../load/replicas.ts'
import { Replicas } from '../load/replicas.ts'
import { spreadOf, spreadOver } from '../measure/statistics.ts'
import { barChart } from '../report/charts.ts'
import type { Cell, Suite, SuiteResult } from '../suite.ts'

const replicaCounts = [1, 2, 4] as const
type ReplicaCount = (typeof replicaCounts)[number]

const latencyMs = 20
const ways = ['one by one', 'at once'] as const
type Way = (typeof ways)[number]

const jobItems = 20

type Rounds = Readonly<Record<ReplicaCount, Throughput[]>>
type Measured = Readonly<Record<Way, Rounds>>

interface Sizes {
  readonly rounds: number
  readonly seconds: Readonly<Record<Way, number>>
}

/** Whether replicas add up. On one machine they can only where they wait, so Transit is put farther away. */
export const scale: Suite = {
  name: 'scale',
  about: `replicas 1, 2 and 4 of the detok pool, with ${latencyMs} ms put before Transit`,
  async run(bench) {
    const sizes: Sizes = bench.quick
      ? { rounds: 2, seconds: { 'one by one': 1.5, 'at once': 0.5 } }
      : { rounds: 4, seconds: { 'one by one': 4, 'at once': 1 } }
    await bench.tokens(recordsOf(bench))
    return resultOf(sizes, await measure(bench, sizes))
  },
}

/** Up one round and down the next: replicas are started and stopped as seldom as can be, and no count gains by its place. */
async function measure(bench: Bench, { rounds, seconds }: Sizes): Promise<Measured> {
  const replicas = await Replicas.open(bench)
  const none = (): Rounds => ({ 1: [], 2: [], 4: [] })
  const measured: Measured = { 'one by one': none(), 'at once': none() }
  for (let round = 1; round <= rounds; round++) {
    for (const count of round % 2 === 1 ? replicaCounts : replicaCounts.toReversed()) {
      bench.step(`scale: round ${round} of ${rounds}, replicas: ${count}`)
      await replicas.setCount(count)
      for (const way of ways) measured[way][count].push(await replicas.throughput(loadOf(way, count, seconds[way])))
    }
  }
  return measured
}

const startSeconds = 0.5
/** More than two cores carry. */
const mostItemsPerS = 20_000
/** More than a replica takes into its hands. */
const itemsInHand = 3_000

function loadOf(calls: Way, count: ReplicaCount, seconds: number): ReplicaLoad {
  const rate = Math.min(mostItemsPerS, waitingAllows(calls, count))
  const items = Math.ceil(rate * (startSeconds + seconds)) + count * itemsInHand
  return { way: { latencyMs, calls }, jobItems, items, startSeconds, seconds }
}

/** Items a second, if a call took no more than the way to Transit. */
function waitingAllows(way: Way, count: number): number {
  const callsUnderWay = way === 'one by one' ? 1 : batchesInFlight
  return (count * callsUnderWay * itemsPerBatch * 1_000) / latencyMs
}

function resultOf({ rounds, seconds }: Sizes, measured: Measured): SuiteResult {
  const figure = spreadOf(ratiosOf(measured['one by one'], 4))
  const load =
    `backlogs of jobs of ${jobItems} that do not run empty; items put into batches in ${seconds['one by one']} s ` +
    `(calls at once: ${seconds['at once']} s) after ${startSeconds} s; ${rounds} rounds, up and down the replicas in turns: median (least–greatest)`
  return {
    load,
    tables: [
      {
        title: `Throughput over replicas, ${latencyMs} ms before Transit`,
        columns: [
          'calls on the way, replicas',
          'items/s',
          '÷ one replica',
          'of what waiting allows, %',
          'CPU of a replica, %',
          'CPU of all, % of the machine',
        ],
        rows: ways.flatMap((way) => replicaCounts.map((count) => rowOf(way, count, measured[way]))),
        note: whyOneByOne(measured),
      },
    ],
    figures: {
      'replicas-4-over-1': {
        value: figure.median,
        spread: figure,
        note: `the way from each replica to Transit takes ${latencyMs} ms and carries one call after the other`,
      },
    },
    charts: [
      barChart({
        name: 'scale-replicas',
        title: `Replicas of one pool, ${latencyMs} ms before Transit`,
        subtitle: `detok, jobs of ${jobItems} from a full queue; median of ${rounds} rounds, the line from least to greatest`,
        unit: 'items/s',
        categoryTitle: 'replicas',
        categories: replicaCounts,
        series: ways.map((way) => ({
          name: `calls ${way}: bound by ${way === 'one by one' ? 'waiting' : 'this machine’s cores'}`,
          values: replicaCounts.map((count) => spreadOver(measured[way][count], (it) => it.itemsPerS)),
        })),
      }),
    ],
  }
}

/** Of each round. */
const ratiosOf = (rounds: Rounds, count: ReplicaCount): number[] =>
  rounds[count].map(({ itemsPerS }, round) => itemsPerS / (rounds[1][round]?.itemsPerS ?? Number.NaN))

function rowOf(way: Way, count: ReplicaCount, rounds: Rounds): Cell[] {
  const of = (figure: (it: Throughput) => number | undefined) => spreadOver(rounds[count], figure)
  return [
    `${way}, ${count}`,
    of((it) => it.itemsPerS),
    spreadOf(ratiosOf(rounds, count)),
    of((it) => (100 * it.itemsPerS) / waitingAllows(way, count)),
    of((it) => it.replicaCores && 100 * it.replicaCores),
    of((it) => it.machineShare && 100 * it.machineShare),
  ]
}

/** In words, what the figures of this run say. */
function whyOneByOne(measured: Measured): string {
  const share = (way: Way, count: ReplicaCount) => {
    const percent = spreadOver(measured[way][count], (it) => it.machineShare && 100 * it.machineShare)?.median
    return percent === undefined ? 'not measured' : `${percent.toFixed(0)}% of the machine`
  }
  return (
    `A replica has ${batchesInFlight} batches of ${itemsPerBatch} under way. Where ${latencyMs} ms is all that they wait for, that is ` +
    `${waitingAllows('at once', 1).toLocaleString('en')} items/s: one replica already takes ${share('at once', 1)}, and more only share it.\n` +
    `Where the way carries one call after the other, a replica waits (${share('one by one', 1)} for one, ${share('one by one', 4)} for four): that is what the figure is taken from.`
  )
}
