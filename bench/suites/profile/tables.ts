import { functionsOf } from '../../measure/cpu-profile.ts'
import { microsecondsBetweenSamples } from '../../measure/profiler.ts'
import { median, spreadOver } from '../../measure/statistics.ts'
import { sumOf } from '../../measure/usage.ts'
import type { Cell, Table } from '../../suite.ts'
import type { Measurements, Round, Sizes } from './measurements.ts'
import { detokOf20, loads } from './measurements.ts'
import { shown } from './parts.ts'

export function loadText({ rounds, items, singles }: Sizes): string {
  const count = (n: number) => n.toLocaleString('en')
  return (
    `full queues, one replica of each pool: for each load and round two backlogs of ${count(items)} items (jobs of one: ${count(singles)}), ` +
    `one drained as it is and one while a profile is taken, a sample every ${microsecondsBetweenSamples / 1_000} ms; ${rounds} rounds: median (least–greatest)`
  )
}

export function tablesOf(measured: Measurements): Table[] {
  const columns = ['', ...loads.map(({ name }) => name)]
  const byLoad = (cell: (rounds: readonly Round[]) => Cell): Cell[] =>
    loads.map((load) => cell(measured.get(load) ?? []))
  return [
    {
      title: 'CPU of the worker by part, µs an item',
      columns,
      rows: [
        ...shown.map(({ name, about }) => [
          `${name}: ${about}`,
          ...byLoad((rounds) => spreadOver(rounds, (it) => it.parts.get(name))),
        ]),
        ['all', ...byLoad((rounds) => spreadOver(rounds, (it) => it.worker))],
      ],
      note: 'A sample goes to the innermost function of its stack that is known to be of a part. Samples share out the CPU of the main thread; that of other threads is measured.',
    },
    {
      title: 'The same, % of the worker’s CPU',
      columns,
      rows: shown.map(({ name }) => [
        name,
        ...byLoad((rounds) => spreadOver(rounds, (it) => (100 * (it.parts.get(name) ?? 0)) / it.worker)),
      ]),
    },
    functionTable(measured.get(detokOf20) ?? []),
    {
      title: 'CPU by process, µs an item',
      columns: ['', 'worker', 'OpenBao', 'Postgres', 'Valkey', 'all', 'items/s', 'worker while profiled'],
      rows: loads.map((load) => [load.name, ...cpuCells(measured.get(load) ?? [])]),
    },
  ]
}

const mostFunctions = 15

function functionTable(rounds: readonly Round[]): Table {
  const [mainThread, worker] = [median(rounds.map((it) => it.mainThread)), median(rounds.map((it) => it.worker))]
  const functions = functionsOf(rounds.map(({ profile }) => profile)).slice(0, mostFunctions)
  return {
    title: `${detokOf20.name}: functions of the main thread by what they take themselves`,
    columns: ['', 'µs an item', '% of the worker’s CPU'],
    rows: functions.map(({ name, share }) => {
      const microseconds = share * mainThread
      return [name, microseconds, (100 * microseconds) / worker]
    }),
    note: 'Of all rounds together. Native functions have no source in JavaScript; (program) is such code that none of it called: the event loop, and reading from sockets.',
  }
}

function cpuCells(rounds: readonly Round[]): Cell[] {
  const of = (figure: (round: Round) => number | undefined) => spreadOver(rounds, figure)
  return [
    ...(['worker', 'openbao', 'postgres', 'valkey'] as const).map((process) => of((it) => it.cpu[process])),
    of((it) => sumOf(it.cpu)),
    of((it) => it.itemsPerS),
    of((it) => it.whileProfiled.worker),
  ]
}
