import type { Spread } from '../../measure/statistics.ts'
import { spreadOver } from '../../measure/statistics.ts'
import type { Measured } from './saturation.ts'

type Of = (round: Measured) => number | undefined

export const throughputOverRaw = (rounds: readonly Measured[]): Spread | undefined =>
  ratio(
    rounds,
    (it) => it.itemsPerS,
    (it) => it.rawItemsPerS,
  )

export const cpuOverRaw = (rounds: readonly Measured[]): Spread | undefined =>
  ratio(
    rounds,
    (it) => it.cpu,
    (it) => it.rawCpu,
  )

/** Each ratio is of one round. Undefined where a part could not be seen, such as the CPU of a server elsewhere. */
export function ratio(rounds: readonly Measured[], upper: Of, lower: Of): Spread | undefined {
  return spreadOver(rounds, (round) => {
    const [above, below] = [upper(round), lower(round)]
    return above === undefined || below === undefined ? undefined : above / below
  })
}
