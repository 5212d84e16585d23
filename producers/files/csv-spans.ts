export interface Span {
  readonly start: number
  readonly end: number
  readonly quoted: boolean
}

const quote = 0x22
const cr = 0x0d
const lf = 0x0a

/**
 * Where the first `count` cells stand in the row's bytes. csv-parse gives values only; since it trims and changes
 * nothing, the length of a cell follows from its value: the value itself, or in quotes with its own quotes doubled.
 * `fields` are all cells of the row as Latin-1, one character a byte.
 *
 * Fewer spans than asked for mean that bytes and cells do not belong together.
 */
export function spansOf(bytes: Buffer, fields: readonly string[], delimiter: string, count: number): Span[] {
  const separator = delimiter.charCodeAt(0)
  const spans: Span[] = []
  let start = 0
  for (let at = 0; at < count; at++) {
    const field = fields[at] ?? ''
    const quoted = bytes[start] === quote
    const end = start + field.length + (quoted ? 2 + quotesIn(field) : 0)
    if (at < fields.length - 1 ? bytes[end] !== separator : !endsLine(bytes, end)) break
    spans.push({ start, end, quoted })
    start = end + 1
  }
  return spans
}

/** Whether the row's bytes are what its cells make when written again, each in quotes or not as it was. */
export function holdsCells(bytes: Buffer, fields: readonly string[], delimiter: string): boolean {
  const spans = spansOf(bytes, fields, delimiter, fields.length)
  return fields.every((field, at) => {
    const span = spans[at]
    if (!span) return false
    return bytes.toString('latin1', span.start, span.end) === (span.quoted ? `"${field.replaceAll('"', '""')}"` : field)
  })
}

function endsLine(bytes: Buffer, at: number): boolean {
  return at === bytes.length || bytes[at] === lf || (bytes[at] === cr && bytes[at + 1] === lf)
}

function quotesIn(field: string): number {
  let count = 0
  for (let at = field.indexOf('"'); at >= 0; at = field.indexOf('"', at + 1)) count++
  return count
}
