import { named } from './columns.ts'
import type { Member } from './json-members.ts'
import { decodeString, membersOf } from './json-members.ts'
import type { Cell, Row, RowProblem } from './row.ts'

export interface NdjsonLine {
  readonly number: number
  readonly line: number
  /** Without its line ending. */
  readonly text: string
  /** Its line ending, and the blank lines after it. */
  readonly tail: string
}

/** What all rows of a file have in common. */
export interface NdjsonLayout {
  readonly columns: readonly string[]
  readonly subject: string | undefined
}

export class NdjsonRow implements Row {
  readonly number: number
  readonly line: number
  readonly cells: readonly Cell[]
  readonly subject: string | undefined
  readonly problem: RowProblem | undefined
  /** The keys of the row, for whoever looks a missing column up; empty when there is a problem. */
  readonly keys: readonly string[]
  readonly #line: NdjsonLine
  /** Where that stands which may be replaced: of each column one place, or none, or several under a repeated key. */
  readonly #places: readonly (readonly Member[])[]

  constructor(line: NdjsonLine, layout: NdjsonLayout) {
    this.number = line.number
    this.line = line.line
    this.#line = line
    const members = parseLine(line.text)
    const subject = typeof members === 'string' ? undefined : subjectIn(line.text, members, layout.subject)
    if (typeof members === 'string' || subject?.bad) {
      this.problem = problemOf(this, typeof members === 'string' ? members : 'bad_subject', layout)
      this.cells = this.keys = this.#places = []
      return
    }
    const found = layout.columns.map((column) => members.filter(({ key }) => key === column))
    this.problem = undefined
    this.subject = subject?.value
    this.keys = members.map(({ key }) => key)
    this.cells = found.map((same) => cellOf(line.text, same))
    this.#places = found.map((same) => same.filter(({ start }) => mayHoldText.test(line.text[start] ?? '')))
  }

  render(replacements: readonly (string | undefined)[]): Buffer {
    const { text, tail } = this.#line
    const changes = this.#places
      .flatMap((places, at) => places.map((place) => ({ place, value: replacements[at] })))
      .filter((change): change is { place: Member; value: string } => change.value !== undefined)
      .sort((one, other) => one.place.start - other.place.start)
    let rendered = ''
    let copied = 0
    for (const { place, value } of changes) {
      rendered += text.slice(copied, place.start) + stringLiteral(value)
      copied = place.end
    }
    return Buffer.from(rendered + text.slice(copied) + tail)
  }
}

/** A string, an object or an array begins so. Numbers and the like keep their digits: they are no text. */
const mayHoldText = /["{[]/

/** JSON allows U+2028 and U+2029 as they are, but many a reader of lines breaks a line there. */
function stringLiteral(value: string): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (char) => (char === '\u2028' ? '\\u2028' : '\\u2029'))
}

function parseLine(text: string): Member[] | 'not_json' | 'not_an_object' {
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'not_an_object'
  } catch {
    // The error's text quotes the line, so it is not passed on.
    return 'not_json'
  }
  return membersOf(text)
}

function cellOf(text: string, same: readonly Member[]): Cell {
  const [member, again] = same
  if (!member) return { kind: 'absent' }
  if (again) return { kind: 'invalid', reason: 'repeated_key' }
  const { start, end } = member
  if (text[start] === '"') return { kind: 'value', value: decodeString(text, start, end) }
  return text[start] === 'n' ? { kind: 'absent' } : { kind: 'invalid', reason: 'not_a_string' }
}

/** A string, or a number with its digits as they stand: ids often are numbers, beyond 2^53 too. */
function subjectIn(text: string, members: readonly Member[], subject: string | undefined) {
  const [member, again] = members.filter(({ key }) => key === subject)
  if (!member) return undefined
  if (again) return { bad: true, value: undefined }
  const { start, end } = member
  const first = text[start] ?? ''
  if (first === '"') return { bad: false, value: decodeString(text, start, end) || undefined }
  if (first === 'n') return undefined
  return /[-0-9]/.test(first) ? { bad: false, value: text.slice(start, end) } : { bad: true, value: undefined }
}

function problemOf(row: Row, code: RowProblem['code'], { subject }: NdjsonLayout): RowProblem {
  const what = {
    ragged: '',
    not_json: 'is not valid JSON',
    not_an_object: 'is JSON, but no object',
    bad_subject: `has a subject, key ${named(subject ?? '')}, that is no string or number, or stands twice`,
  }
  return { code, number: row.number, line: row.line, message: `row ${row.number} (line ${row.line}) ${what[code]}` }
}
