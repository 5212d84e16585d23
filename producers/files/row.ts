export type Format = 'csv' | 'ndjson'

export interface TableOptions {
  readonly format: Format
  /** The columns whose cells are handed out and replaced. */
  readonly columns: readonly string[]
  /** A column that says whom a row is about: read, never replaced. */
  readonly subject?: string | undefined
  /** CSV only: one ASCII character. Found from the header when not given. */
  readonly delimiter?: string | undefined
  /** Any label that TextDecoder knows. The output is UTF-8 in any case. */
  readonly encoding?: string | undefined
}

export interface Table {
  /** What stands before the first row, as it was: byte order mark, header, blank lines. It is written first. */
  readonly preamble: Buffer
  /**
   * The rows, in batches of about one chunk of input, read only as they are pulled. To be iterated once.
   * Fails with a UserError where the file can be read no further, or at its end if a named column occurs nowhere.
   */
  readonly rows: AsyncIterable<Row[]>
}

/** One row, and the blank lines after it. */
export interface Row {
  /** Counted from 1; header and blank lines do not count. */
  readonly number: number
  /** The line in the file where the row starts, counted from 1. */
  readonly line: number
  /** `cells[i]` belongs to `columns[i]`; empty when there is a problem. */
  readonly cells: readonly Cell[]
  /** Undefined when there is none: no such option, no such key, null, or empty. */
  readonly subject: string | undefined
  readonly problem?: RowProblem | undefined
  /**
   * The row's bytes, UTF-8, with `replacements[i]` as its i-th named cell; `undefined` leaves a cell as it was, byte
   * for byte. Where nothing can hold text, all is left as it was, too: a row with a problem, an absent cell, a number and
   * the like. An object or array is replaced whole, and of a repeated key each of them.
   */
  render(replacements: readonly (string | undefined)[]): Buffer
}

export type Cell =
  | { readonly kind: 'value'; readonly value: string }
  /** NDJSON: the key is missing, or null. It stays so. */
  | { readonly kind: 'absent' }
  | { readonly kind: 'invalid'; readonly reason: InvalidCell }

export type InvalidCell =
  /** NDJSON: a number, a boolean, an object or an array. */
  | 'not_a_string'
  /** NDJSON: the key stands twice in the row, so which one is meant cannot be known. */
  | 'repeated_key'
  /** CSV: many readers see a row end there. In quotes it is as good as any character. */
  | 'unquoted_carriage_return'

/** Why a row as a whole cannot be used. The rows around it can. */
export interface RowProblem {
  readonly code: 'ragged' | 'not_json' | 'not_an_object' | 'bad_subject'
  readonly number: number
  readonly line: number
  /** For the person at the terminal; names the row, never quotes from it. */
  readonly message: string
}

/** A row longer than this is taken for a mistake, such as a quote that is never closed, before it fills the memory. */
export const maxRowBytes = 16 * 1024 * 1024
