import type { Latency } from '../../measure/statistics.ts'
import { spreadOver } from '../../measure/statistics.ts'
import { numberText } from '../../report/text.ts'
import type { Cell, Table } from '../../suite.ts'
import type { Measurements } from './measurements.ts'
import { itemsPerS, seed } from './operating-point.ts'
import { cpuOverRaw, ratio, throughputOverRaw } from './ratio.ts'
import { callers } from './round-trips.ts'
import type { JobSize, Measured, Saturated, Sizes } from './saturation.ts'
import { directions, jobSizes, rawCallers } from './saturation.ts'
import { stagesOf } from './stages.ts'

export function loadText(sizes: Sizes, { saturated, unloaded, operatingPoint }: Measurements): string {
  const count = (n: number) => n.toLocaleString('en')
  return [
    `full queues: backlogs of ${count(sizes.items)} items (jobs of one: ${count(sizes.singles)}) sealed beforehand, ${sizes.rounds} rounds; in each, raw Transit batch-20 at c=${rawCallers} before and after, ${sizes.rawSeconds} s each, and ${count(sizes.noops)} no-op jobs at a concurrency of ${saturated.noopConcurrency}: median (least–greatest)`,
    `unloaded: ${unloaded.composed.count} calls of one caller, in ${unloaded.blocks} blocks in turns with ${unloaded.raw.count} of raw Transit`,
    `operating point: ${itemsPerS} items/s as jobs of one for ${operatingPoint.seconds} s, open loop, Poisson arrivals of seed ${seed}, in turns with raw Transit`,
  ].join('\n')
}

export function tablesOf({ saturated, unloaded, operatingPoint, roundTrips }: Measurements): Table[] {
  return [
    {
      title: 'Full queues: throughput, and pick-up to reply',
      columns: ['', 'items/s', 'jobs/s', '÷ raw', 'batch fill', 'p50, ms', 'p95, ms', 'p99, ms'],
      rows: eachLoad(saturated, (rounds) => [
        spreadOver(rounds, (it) => it.itemsPerS),
        spreadOver(rounds, (it) => it.jobsPerS),
        throughputOverRaw(rounds),
        spreadOver(rounds, (it) => it.fill),
        ...(['p50', 'p95', 'p99'] as const).map((at) => spreadOver(rounds, (it) => it.durations['job']?.[at])),
      ]),
    },
    { title: 'The ceilings, in the same rounds', columns: ['', 'a second'], rows: ceilings(saturated) },
    {
      title: 'Full queues: CPU, µs an item',
      columns: ['', 'worker', 'OpenBao', 'Postgres', 'Valkey', 'all', 'raw', 'all ÷ raw'],
      rows: eachLoad(saturated, (rounds) => [
        ...cpuProcesses.map((process) => spreadOver(rounds, (it) => it.cpuPerItem[process])),
        spreadOver(rounds, (it) => it.cpu),
        spreadOver(rounds, (it) => it.rawCpu),
        cpuOverRaw(rounds),
      ]),
    },
    ...directions.map((queue) => stageTable(queue, saturated)),
    {
      title: 'Unloaded: one item, one caller',
      columns,
      rows: [
        ['enqueue to reply', ...latencyCells(unloaded.composed)],
        ['raw Transit batch-20, c=1', ...latencyCells(unloaded.raw)],
        [
          'ratio',
          '',
          unloaded.composed.p50 / unloaded.raw.p50,
          unloaded.composed.p95 / unloaded.raw.p95,
          unloaded.composed.p99 / unloaded.raw.p99,
        ],
      ],
    },
    {
      title: `${itemsPerS} items/s offered`,
      columns,
      rows: [
        ['from the time a call was due to its outcome', ...latencyCells(operatingPoint.roundTrip)],
        ['worker: pick-up to reply published', ...latencyCells(operatingPoint.worker)],
        ['raw Transit, single items, from the time due', ...latencyCells(operatingPoint.raw)],
      ],
      note: 'What counts from the time due holds the lateness of our timers too, up to a millisecond.',
    },
    {
      title: `Enqueue to reply, ${callers} callers`,
      columns,
      rows: roundTrips.map(({ queue, jobItems, latency }) => [loadName(queue, jobItems), ...latencyCells(latency)]),
    },
  ]
}

const columns = ['', 'calls', 'p50, ms', 'p95, ms', 'p99, ms']
export const cpuProcesses = ['worker', 'openbao', 'postgres', 'valkey'] as const

const latencyCells = ({ count, p50, p95, p99 }: Omit<Latency, 'max'>): Cell[] => [count, p50, p95, p99]

export const loadName = (queue: string, jobItems: JobSize): string =>
  `${queue}, jobs of ${jobItems === 1 ? 'one' : jobItems}`

function eachLoad(saturated: Saturated, cells: (rounds: readonly Measured[]) => Cell[]): Cell[][] {
  return directions.flatMap((queue) =>
    jobSizes.map((jobItems) => [loadName(queue, jobItems), ...cells(saturated[queue][jobItems])]),
  )
}

function ceilings({ detok, tokenize, noopConcurrency }: Saturated): Cell[][] {
  return [
    ['raw Transit batch-20, unwraps', spreadOver(detok[20], (it) => it.rawItemsPerS)],
    ['raw Transit batch-20, wraps', spreadOver(tokenize[20], (it) => it.rawItemsPerS)],
    [`BullMQ no-op jobs, concurrency ${noopConcurrency}`, spreadOver(detok[1], (it) => it.noopJobsPerS)],
    [
      'detok, jobs of one ÷ no-op',
      ratio(
        detok[1],
        (it) => it.jobsPerS,
        (it) => it.noopJobsPerS,
      ),
    ],
  ]
}

function stageTable(queue: (typeof directions)[number], saturated: Saturated): Table {
  const bySize = jobSizes.map((jobItems) => stagesOf(saturated[queue][jobItems]))
  const stages = (bySize[0] ?? []).map(({ stage }) => stage)
  return {
    title: `Stages, ${queue}: mean ms, and the part of pick-up to reply`,
    columns: ['', ...jobSizes.map((jobItems) => `jobs of ${jobItems === 1 ? 'one' : jobItems}`)],
    rows: stages.map((stage) => [
      stage,
      ...bySize.map((shares) => {
        const one = shares.find((share) => share.stage === stage)
        return one && `${numberText(one.meanMs)} (${(one.share * 100).toFixed(0)}%)`
      }),
    ]),
  }
}
