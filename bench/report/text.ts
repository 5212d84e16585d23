import type { Spread } from '../measure/statistics.ts'
import type { Value } from '../scorecard.ts'
import type { Cell, SuiteResult, Table } from '../suite.ts'
import type { Verdict } from './verdicts.ts'

/** Three digits that count, more where they stand before the point. */
export function numberText(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 1 ? 2 : 3
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

/** `12,300 (11,900–12,800)`; of one round alone, only its number. */
export const spreadText = ({ median, min, max, count }: Spread): string =>
  count === 1 ? numberText(median) : `${numberText(median)} (${numberText(min)}–${numberText(max)})`

function cellText(cell: Cell): string {
  if (cell === undefined) return 'not measured'
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return Number.isInteger(cell) ? cell.toLocaleString('en') : numberText(cell)
  return spreadText(cell)
}

export function suiteText(name: string, about: string, { load, tables }: SuiteResult): string {
  return [`${name}: ${about}`, load, ...tables.flatMap((table) => ['', tableText(table)])].join('\n')
}

function tableText({ title, columns, rows, note }: Table): string {
  const cells = [columns, ...rows.map((row) => row.map(cellText))]
  return [title, ...aligned(cells), ...(note === undefined ? [] : [note])].join('\n')
}

/** The first column to the left, since it names the row; the others to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    `  ${row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  ')}`.trimEnd(),
  )
}

export function scorecardText(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map((verdict) => [
    verdict.what,
    valueText(verdict),
    `${signs[verdict.direction]} ${boundText(verdict.bound)}`,
    verdict.met === null ? 'not measured' : verdict.met ? 'met' : 'NOT met',
  ])
  const notes = verdicts.flatMap(({ id, note }) => (note === undefined ? [] : [`  ${id}: ${note}`]))
  return ['Scorecard', ...aligned([['figure', 'value', 'bound', ''], ...rows]), ...notes].join('\n')
}

const signs = { atLeast: '≥', atMost: '≤', below: '<' } as const

function valueText({ value, spread }: Verdict): string {
  if (value === null) return '–'
  if (typeof value !== 'number') return boundText(value)
  return isSpread(spread) ? spreadText(spread) : numberText(value)
}

const isSpread = (spread: Verdict['spread']): spread is Spread => spread !== undefined && 'median' in spread

function boundText(bound: Value): string {
  if (typeof bound === 'number') return shortText(bound)
  return Object.entries(bound)
    .map(([part, limit]) => `${part} ${shortText(limit)}`)
    .join(', ')
}

/** `0.4`, `18`, `25.3`. */
const shortText = (value: number): string => value.toLocaleString('en', { maximumSignificantDigits: 3 })
