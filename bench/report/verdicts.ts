import type { Row, Value } from '../scorecard.ts'
import { scorecard } from '../scorecard.ts'
import type { Figure, SuiteResult } from '../suite.ts'

/** A row of the scorecard, judged; `value` and `met` are null where it was not measured in this run. */
export interface Verdict extends Row {
  readonly value: Value | null
  readonly met: boolean | null
  readonly spread?: Figure['spread']
  readonly note?: string
}

/** One for each row, in its order. */
export function verdictsOn(results: readonly SuiteResult[]): Verdict[] {
  const figures = new Map(results.flatMap((result) => Object.entries(result.figures)))
  return scorecard.map((row) => verdictOn(row, figures.get(row.id)))
}

export function verdictOn(row: Row, figure: Figure | undefined): Verdict {
  if (figure === undefined) return { ...row, value: null, met: null }
  const { value, spread, bound = row.bound, holds = true, note } = figure
  return {
    ...row,
    value,
    bound,
    met: holds && isMet(row.direction, value, bound),
    ...(spread && { spread }),
    ...(note && { note }),
  }
}

function isMet(direction: Row['direction'], value: Value, bound: Value): boolean {
  if (typeof value === 'number' && typeof bound === 'number') return compares(direction, value, bound)
  if (typeof value === 'number' || typeof bound === 'number')
    throw new TypeError('value and bound differ in their parts')
  return Object.entries(bound).every(([part, limit]) => compares(direction, value[part] ?? Number.NaN, limit))
}

function compares(direction: Row['direction'], value: number, bound: number): boolean {
  switch (direction) {
    case 'atLeast':
      return value >= bound
    case 'atMost':
      return value <= bound
    case 'below':
      return value < bound
  }
}
