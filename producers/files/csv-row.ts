import type { Span } from './csv-spans.ts'
import { spansOf } from './csv-spans.ts'
import type { Cell, Row, RowProblem } from './row.ts'

/** What all rows of a file have in common. */
export interface CsvLayout {
  readonly header: readonly string[]
  readonly delimiter: string
  /** The places of the named columns in the header. */
  readonly places: readonly number[]
  readonly subject: number | undefined
}

export class CsvRow implements Row {
  readonly number: number
  readonly line: number
  readonly problem: RowProblem | undefined
  readonly #bytes: Buffer
  readonly #fields: readonly string[]
  readonly #layout: CsvLayout
  #cells: Cell[] | undefined

  /** `bytes` is the row with its line ending and the blank lines after it, valid UTF-8; `fields` its cells as Latin-1. */
  constructor(number: number, line: number, bytes: Buffer, fields: readonly string[], layout: CsvLayout) {
    this.number = number
    this.line = line
    this.#bytes = bytes
    this.#fields = fields
    this.#layout = layout
    this.problem = fields.length === layout.header.length ? undefined : raggedRow(this, fields.length, layout)
  }

  get cells(): Cell[] {
    this.#cells ??= this.problem ? [] : this.#readCells()
    return this.#cells
  }

  #readCells(): Cell[] {
    return this.#layout.places.map((place) => {
      const field = this.#fields[place] ?? ''
      if (field.includes('\r') && !this.#spans(place + 1)[place]?.quoted)
        return { kind: 'invalid', reason: 'unquoted_carriage_return' }
      return { kind: 'value', value: decodeField(field) }
    })
  }

  get subject(): string | undefined {
    const { subject } = this.#layout
    if (this.problem || subject === undefined) return undefined
    return decodeField(this.#fields[subject] ?? '') || undefined
  }

  render(replacements: readonly (string | undefined)[]): Buffer {
    const { places, delimiter, header } = this.#layout
    const changes = this.problem ? [] : changesOf(places, replacements)
    const last = changes.at(-1)
    if (!last) return this.#bytes
    const spans = this.#spans(last.place + 1)
    const text = this.#bytes.toString('latin1')
    let rendered = ''
    let copied = 0
    for (const { place, value } of changes) {
      const span = spans[place]
      if (!span) throw new Error('a row does not hold the cells that were read from it')
      // An empty cell that is alone in its row would be a blank line.
      const quoted = span.quoted || needsQuotes(value, delimiter) || (value === '' && header.length === 1)
      rendered += text.slice(copied, span.start) + encodeField(quoted ? `"${value.replaceAll('"', '""')}"` : value)
      copied = span.end
    }
    return Buffer.from(rendered + text.slice(copied), 'latin1')
  }

  #spans(count: number): Span[] {
    return spansOf(this.#bytes, this.#fields, this.#layout.delimiter, count)
  }
}

/** Text from bytes given as Latin-1. Most cells are ASCII, and the same in both. */
export function decodeField(field: string): string {
  return /[\x80-\xff]/.test(field) ? Buffer.from(field, 'latin1').toString('utf8') : field
}

function encodeField(text: string): string {
  return /[^\0-\x7f]/.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text
}

/** What is replaced, in the order of the file, which need not be the order that the columns were named in. */
function changesOf(places: readonly number[], replacements: readonly (string | undefined)[]) {
  return places
    .map((place, at) => ({ place, value: replacements[at] }))
    .filter((change): change is { place: number; value: string } => change.value !== undefined)
    .sort((one, other) => one.place - other.place)
}

function needsQuotes(value: string, delimiter: string): boolean {
  return value.includes(delimiter) || /["\r\n]/.test(value)
}

function raggedRow(row: Row, count: number, { header }: CsvLayout): RowProblem {
  const cells = count === 1 ? '1 cell' : `${count} cells`
  return {
    code: 'ragged',
    number: row.number,
    line: row.line,
    message: `row ${row.number} (line ${row.line}) has ${cells}, the header has ${header.length}`,
  }
}
