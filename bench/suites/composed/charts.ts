import { spreadOver } from '../../measure/statistics.ts'
import type { Chart } from '../../report/charts.ts'
import { barChart, stackedChart } from '../../report/charts.ts'
import type { Measurements } from './measurements.ts'
import type { Measured } from './saturation.ts'
import { directions, jobSizes } from './saturation.ts'
import { stagesOf } from './stages.ts'
import { loadName } from './tables.ts'

export function chartsOf({ saturated }: Measurements): Chart[] {
  const loads = directions.flatMap((queue) =>
    jobSizes.map((jobItems) => ({ name: loadName(queue, jobItems), queue, rounds: saturated[queue][jobItems] })),
  )
  const over = (figure: (round: Measured) => number | undefined) =>
    loads.map(({ rounds }) => spreadOver(rounds, figure))
  const subtitle = `one replica of each pool, full queues; median of ${saturated.detok[20].length} rounds`
  return [
    barChart({
      name: 'composed-throughput',
      title: 'The whole path beside raw Transit',
      subtitle: `${subtitle}, the line from least to greatest`,
      unit: 'items/s',
      categories: loads.map(({ name }) => onTwoLines(name)),
      series: [
        { name: 'whole path', values: over((it) => it.itemsPerS) },
        { name: 'raw Transit, batches of 20', values: over((it) => it.rawItemsPerS) },
      ],
    }),
    stackedChart({
      name: 'composed-cpu',
      title: 'CPU an item, by process',
      subtitle,
      unit: 'µs',
      categories: [...loads.map(({ name }) => onTwoLines(name)), 'raw decrypt', 'raw encrypt'],
      series: [
        { name: 'worker (raw: client)', values: [...over((it) => it.cpuPerItem['worker']), ...raw('client')] },
        { name: 'OpenBao', values: [...over((it) => it.cpuPerItem['openbao']), ...raw('openbao')] },
        { name: 'Postgres', values: over((it) => it.cpuPerItem['postgres']) },
        { name: 'Valkey', values: over((it) => it.cpuPerItem['valkey']) },
      ],
    }),
    stackedChart({
      name: 'composed-stages',
      title: 'Where the time from pick-up to reply goes',
      subtitle: `${subtitle}; gather is the waiting for a batch`,
      unit: '%',
      categories: loads.map(({ name }) => onTwoLines(name)),
      most: 100,
      series: stageSeries(loads),
    }),
  ]

  function raw(process: string) {
    return directions.map((queue) => spreadOver(saturated[queue][20], (it) => it.rawCpuPerItem[process]))
  }
}

const onTwoLines = (name: string): string => name.replace(', ', '\n')

/** Stages that are each other's twins in the two directions share a colour. */
const twins: Readonly<Record<string, string>> = {
  unwrap: 'unwrap, wrap',
  wrap: 'unwrap, wrap',
  decrypt: 'decrypt, encrypt',
  encrypt: 'decrypt, encrypt',
  audit: 'audit (tokenize: and store)',
  'store and audit': 'audit (tokenize: and store)',
}

function stageSeries(loads: readonly { readonly rounds: readonly Measured[] }[]) {
  const byLoad = loads.map(
    ({ rounds }) => new Map(stagesOf(rounds).map(({ stage, share }) => [twins[stage] ?? stage, share * 100])),
  )
  // In the order of the flow; what tokenize alone has comes last.
  const names = new Set(byLoad.flatMap((shares) => [...shares.keys()]))
  return Array.from(names, (name) => ({ name, values: byLoad.map((shares) => shares.get(name)) }))
}
