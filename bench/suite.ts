import type { Bench } from './bench.ts'
import type { Latency, Spread } from './measure/statistics.ts'
import type { Chart } from './report/charts.ts'
import type { RowId, Value } from './scorecard.ts'

/** One subject of measurement. Whatever it compares, it measures in turns, several times. */
export interface Suite {
  readonly name: string
  /** What it answers, in a sentence. */
  readonly about: string
  run(bench: Bench): Promise<SuiteResult>
}

export interface SuiteResult {
  /** What was offered: sizes, seconds, repeats, callers. */
  readonly load: string
  readonly tables: readonly Table[]
  readonly figures: Partial<Record<RowId, Figure>>
  readonly charts: readonly Chart[]
}

/** Undefined is shown as not measured. */
export type Cell = string | number | Spread | undefined

export interface Table {
  readonly title: string
  /** With units, such as `p99, ms`. */
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** What the table shows, where that is not plain from it. */
  readonly note?: string
}

/** What a row of the scorecard is judged by. */
export interface Figure {
  readonly value: Value
  /** Of the rounds whose median is the value. */
  readonly spread?: Spread | Readonly<Record<string, Spread | Latency>>
  /** In place of the row's own bound, where the row allows for a noisier machine; `note` says why. */
  readonly bound?: Value
  /** What must hold beside the bound. */
  readonly holds?: boolean
  readonly note?: string
}
