import type { Bench } from '../bench.ts'
import type { RawLoad, RawResult } from '../load/raw-transit.ts'
import { RawTransit } from '../load/raw-transit.ts'
import { memoryOf, peakMemoryOf } from '../measure/process-usage.ts'
import { spreadOver } from '../measure/statistics.ts'
import { sumOf } from '../measure/usage.ts'
import { lineChart } from '../report/charts.ts'
import type { Cell, Suite, SuiteResult, Table } from '../suite.ts'

interface NamedLoad extends RawLoad {
  readonly name: string
  readonly rounds: number
}

const sweptBatches = [1, 5, 10, 20, 50, 100, 200]
const sweepCallers = 16

/** What Transit alone carries, and why batches of 20. */
export const transit: Suite = {
  name: 'transit',
  about: 'raw Transit decrypt by undici, under the AppRole of the detok pool: the ceiling',
  async run(bench) {
    const { rounds, seconds, sustainedSeconds } = bench.quick
      ? { rounds: 2, seconds: 0.7, sustainedSeconds: 3 }
      : { rounds: 5, seconds: 3, sustainedSeconds: 20 }
    const raw = await RawTransit.start(bench, 'detok')
    const brief = { extent: { seconds }, rounds }
    const loads: NamedLoad[] = [
      { name: 'single, c=64', batch: 'single', callers: 64, ...brief },
      { name: 'single, c=128', batch: 'single', callers: 128, ...brief },
      { name: 'batch-20, c=64', batch: 20, callers: 64, ...brief },
      {
        name: `batch-20, c=64, ${sustainedSeconds} s`,
        batch: 20,
        callers: 64,
        extent: { seconds: sustainedSeconds },
        rounds: 1,
      },
      { name: 'batch-20, c=16', batch: 20, callers: 16, ...brief },
    ]
    const sweep = sweptBatches.map((batch) => ({ name: `batch-${batch}`, batch, callers: sweepCallers, ...brief }))
    const results = await inTurns(bench, raw, [...loads, ...sweep], rounds)
    return resultOf(bench, results.slice(0, loads.length), results.slice(loads.length), { rounds, seconds })
  },
}

type Measured = NamedLoad & { readonly results: RawResult[] }

/** Every load once in each round, so that all of them see the same weather. */
async function inTurns(
  bench: Bench,
  raw: RawTransit,
  loads: readonly NamedLoad[],
  rounds: number,
): Promise<Measured[]> {
  const measured = loads.map((load) => ({ ...load, results: [] as RawResult[] }))
  for (let round = 1; round <= rounds; round++) {
    bench.step(`transit: round ${round} of ${rounds}, ${loads.length} loads`)
    for (const load of measured) {
      if (load.results.length >= load.rounds) continue
      await raw.warmUp(load)
      load.results.push(await raw.closed(load))
    }
  }
  return measured
}

function resultOf(
  { servers }: Bench,
  loads: readonly Measured[],
  sweep: readonly Measured[],
  { rounds, seconds }: { rounds: number; seconds: number },
): SuiteResult {
  const over = (all: readonly Measured[], figure: (result: RawResult) => number | undefined) =>
    all.map(({ results }) => spreadOver(results, figure))
  const itemsPerS = over(sweep, (it) => it.itemsPerS)
  const load = `closed loop, ${seconds} s each after a warm-up, ${rounds} rounds in turns: median (least–greatest)`
  return {
    load,
    tables: [
      {
        title: 'Loads',
        columns: ['load', 'calls/s', 'unwraps/s', 'p50, ms', 'p95, ms', 'p99, ms', 'errors', ...cpuColumns],
        rows: loads.map((one) => rowOf(one, true)),
        note: `OpenBao holds ${mebibytes(memoryOf(servers.openbao))}, at its peak ${mebibytes(peakMemoryOf(servers.openbao))}.`,
      },
      {
        title: `Batch size, c=${sweepCallers}`,
        columns: ['batch', 'unwraps/s', 'p50, ms', 'p99, ms', ...cpuColumns],
        rows: sweep.map((one) => rowOf(one, false)),
        note: whyTwenty(sweep),
      },
    ] satisfies Table[],
    figures: {},
    charts: [
      lineChart({
        name: 'transit-batch-size',
        title: 'Raw Transit: what a larger batch brings, and costs',
        subtitle: `decrypt by undici, ${sweepCallers} callers; ${load}`,
        unit: 'unwraps/s',
        unitOnRight: 'ms',
        categoryTitle: 'items in a batch',
        categories: sweptBatches,
        series: [
          { name: 'unwraps/s', values: itemsPerS },
          { name: 'p50, ms', values: over(sweep, (it) => it.latency.p50), onRight: true },
          { name: 'p99, ms', values: over(sweep, (it) => it.latency.p99), onRight: true },
        ],
      }),
    ],
  }
}

const cpuColumns = ['client CPU, µs/item', 'OpenBao CPU, µs/item']

function rowOf({ name, results }: Measured, whole: boolean): Cell[] {
  const of = (figure: (result: RawResult) => number | undefined) => spreadOver(results, figure)
  const cpu = [of((it) => it.cpuPerItem['client']), of((it) => it.cpuPerItem['openbao'])]
  const items = of((it) => it.itemsPerS)
  const [p50, p95, p99] = [of((it) => it.latency.p50), of((it) => it.latency.p95), of((it) => it.latency.p99)]
  if (!whole) return [name, items, p50, p99, ...cpu]
  const errors = results.reduce((sum, result) => sum + result.errors, 0)
  return [name, of((it) => it.callsPerS), items, p50, p95, p99, errors, ...cpu]
}

/** In words, what the figures of this run say; not what they should. */
function whyTwenty(sweep: readonly Measured[]): string {
  const at = (batch: number) => {
    const results = sweep.find((load) => load.batch === batch)?.results ?? []
    const of = (figure: (result: RawResult) => number | undefined) => spreadOver(results, figure)?.median ?? Number.NaN
    return { items: of((it) => it.itemsPerS), p50: of((it) => it.latency.p50), cpu: of((it) => sumOf(it.cpuPerItem)) }
  }
  const [one, twenty, hundred] = [at(1), at(20), at(100)]
  const times = (a: number, b: number) => `${(a / b).toFixed(1)} times`
  return (
    `A batch of 20 carries ${times(twenty.items, one.items)} the items of a batch of one at ${times(twenty.p50, one.p50)} its latency; ` +
    `one of 100 carries ${times(hundred.items, twenty.items)} those of 20 at ${times(hundred.p50, twenty.p50)} the latency` +
    (Number.isNaN(hundred.cpu)
      ? '.'
      : `, and saves ${(twenty.cpu - hundred.cpu).toFixed(0)} of ${twenty.cpu.toFixed(0)} µs of CPU an item.`)
  )
}

const mebibytes = (amount: number | undefined): string =>
  amount === undefined ? 'not measured' : `${amount.toFixed(0)} MiB`
