import { rest } from '../../measure/cpu-profile.ts'
import { median } from '../../measure/statistics.ts'
import type { Chart } from '../../report/charts.ts'
import { stackedChart } from '../../report/charts.ts'
import { numberText } from '../../report/text.ts'
import type { Load, Measurements } from './measurements.ts'
import { loads } from './measurements.ts'
import { garbage, otherThreads, pipeline, shown } from './parts.ts'

/** In shares: an item that is a job by itself takes several times the CPU of others, beside which nobody could read theirs. */
export function chartOf(measured: Measurements): Chart {
  const roundsOf = (load: Load) => measured.get(load) ?? []
  const total = (load: Load) => `${numberText(median(roundsOf(load).map(({ worker }) => worker)))} µs an item`
  const drawn = Map.groupBy(
    shown.map(({ name }) => name),
    (name) => together[name] ?? name,
  )
  const rounds = Math.min(...loads.map((load) => roundsOf(load).length))
  return stackedChart({
    name: 'profile-worker',
    title: 'Where the CPU of a worker goes',
    subtitle: `one replica of each pool, full queues; ${rounds} rounds together`,
    unit: '%',
    most: 100,
    categories: loads.map((load) => `${load.name}\n${total(load)}`),
    series: Array.from(drawn, ([name, some]) => ({
      name,
      values: loads.map((load) => shareOf(some, load)),
    })),
  })

  function shareOf(some: readonly string[], load: Load): number {
    const rounds = roundsOf(load)
    const ofSome = sum(rounds.flatMap(({ parts }) => some.map((name) => parts.get(name) ?? 0)))
    return (100 * ofSome) / sum(rounds.map(({ worker }) => worker))
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)

/** Parts that are drawn as one: there are nine colours to be told apart. */
const together: Readonly<Record<string, string>> = {
  [otherThreads]: 'V8: garbage, compiling',
  [garbage]: 'V8: garbage, compiling',
  [pipeline]: 'pipeline, rest',
  [rest]: 'pipeline, rest',
}
