import { itemsPerRequest } from '../../../producers/limits.ts'
import type { CliRun } from '../../load/command-line.ts'
import { median, spreadOf } from '../../measure/statistics.ts'
import { lineChart } from '../../report/charts.ts'
import type { Cell, Figure, Suite, SuiteResult, Table } from '../../suite.ts'
import type { Extent, Measurements, Sizes } from './measurements.ts'
import { column, copies, measure, sizesOf } from './measurements.ts'

/** The memory of many rows may be so much more than that of few: what a garbage collector leaves to chance. */
const flatWithin = 1.25

const extents = ['few', 'many'] as const
const processes = ['cli', 'worker'] as const

/** A file of many rows through the command line, as a batch export does it. */
export const exporting: Suite = {
  name: 'export',
  about: 'a file through the CLI, one worker of each pool: how fast, and in how much memory',
  async run(bench) {
    const sizes = sizesOf(bench)
    return resultOf(sizes, await measure(bench))
  },
}

function resultOf(sizes: Sizes, all: Measurements): SuiteResult {
  const count = (n: number) => n.toLocaleString('en')
  const load =
    `CSV of invented customers, the column ${column}: ${count(sizes.few)} and ${count(sizes.many)} rows tokenized; ` +
    `their tokens ${copies} times over, ${count(all.detok.few.rows)} and ${count(all.detok.many.rows)} rows, detokenized and compared with what they were made of.\n` +
    `Each run has a worker that was just started. Before and after each detok run, ${sizes.drains} backlogs of ${count(sizes.backlogItems)} items in jobs of ${itemsPerRequest}: median (least–greatest)`
  return {
    load,
    tables: [runsTable(all), composedTable(all)],
    figures: { ...memoryFigure(all), 'export-over-composed': ratioFigure(all) },
    charts: [memoryChart(all)],
  }
}

const runs = ({ tokenize, detok }: Measurements) =>
  [
    { queue: 'tokenize', of: tokenize },
    { queue: 'detok', of: detok },
  ] as const

function runsTable(all: Measurements): Table {
  return {
    title: 'The command line',
    columns: ['rows', 'items/s, start to end', 'items/s, as it says', 'seconds', 'CLI, peak MiB', 'worker, peak MiB'],
    rows: runs(all).flatMap(({ queue, of }) => [
      ...extents.map((extent) => runRow(queue, of[extent])),
      [`${queue}: many ÷ few`, '', '', '', ...processes.map((name) => growth(of, name))],
    ]),
  }
}

function runRow(queue: string, { rows, items, seconds, itemsPerS, memory }: CliRun): Cell[] {
  return [
    `${queue} ${rows.toLocaleString('en')}`,
    items / seconds,
    itemsPerS,
    seconds,
    ...processes.map((name) => memory.peakOf(name)),
  ]
}

/** Undefined where it could not be seen. */
function growth(of: Readonly<Record<Extent, CliRun>>, name: string): number | undefined {
  const [few, many] = [of.few.memory.peakOf(name), of.many.memory.peakOf(name)]
  return few && many && many / few
}

function composedTable(all: Measurements): Table {
  return {
    title: 'detok by the CLI ÷ from a backlog',
    columns: ['rows', 'CLI, items/s', 'backlog, items/s', 'ratio'],
    rows: extents.map((extent) => {
      const { rows, items, seconds } = all.detok[extent]
      return [rows.toLocaleString('en'), items / seconds, spreadOf(all.composed[extent]), ratio(all, extent)]
    }),
  }
}

const ratio = ({ detok, composed }: Measurements, extent: Extent): number =>
  detok[extent].items / detok[extent].seconds / median(composed[extent])

const ratioFigure = (all: Measurements): Figure => ({
  value: ratio(all, 'many'),
  note: `from the start of the command to its end, jobs of ${itemsPerRequest}`,
})

/** None where memory cannot be seen. */
function memoryFigure({ tokenize, detok }: Measurements): SuiteResult['figures'] {
  const [cli, worker] = processes.map((name) => detok.many.memory.peakOf(name))
  if (cli === undefined || worker === undefined) return {}
  const growths = [tokenize, detok].flatMap((of) => processes.map((name) => growth(of, name) ?? Number.NaN))
  const most = Math.max(...growths)
  return {
    'export-memory': {
      value: { cli, worker },
      holds: most <= flatWithin,
      note: `of the detok run of ${detok.many.rows.toLocaleString('en')} rows; ten times the rows take at most ${most.toFixed(2)} times the memory, and more than ${flatWithin} would not be flat`,
    },
  }
}

const parts = 20

function memoryChart({ detok }: Measurements) {
  const rows = (extent: Extent) => detok[extent].rows.toLocaleString('en')
  return lineChart({
    name: 'export-memory',
    title: 'Memory while a file is detokenized',
    subtitle: 'resident set of the command and of the worker, from the start of the command to its end',
    unit: 'MiB',
    categoryTitle: 'part of the run, %',
    categories: Array.from({ length: parts }, (_, part) => Math.round(((part + 1) * 100) / parts)),
    series: extents.flatMap((extent) =>
      [
        { name: 'CLI', process: 'cli' },
        { name: 'worker', process: 'worker' },
      ].map(({ name, process }) => ({
        name: `${name}, ${rows(extent)} rows`,
        values: detok[extent].memory.course(process, parts),
      })),
    ),
  })
}
