import { exitCodes, UserError } from '../../shared/errors/user-error.ts'

const candidates = [',', ';', '\t', '|'] as const

const quote = 0x22
const lf = 0x0a
const cr = 0x0d

/** The delimiter as given by the user, checked: one ASCII character. `\t` and `tab` are the tab. */
export function delimiterFrom(given: string): string {
  const delimiter = given === '\\t' || given === 'tab' ? '\t' : given
  if (!/^[\t -~]$/.test(delimiter) || delimiter === '"')
    throw new UserError(
      'The delimiter must be one ASCII character other than a quote, for example --delimiter ";" or --delimiter tab.',
      exitCodes.usage,
    )
  return delimiter
}

export interface HeaderScan {
  /** Where the header's record starts: after the blank lines before it. */
  readonly start: number
  /** After the header's line ending; undefined when it has not come yet. */
  readonly end: number | undefined
  /** The one given, else the candidate most frequent outside quotes; a comma when there is none. */
  readonly delimiter: string
}

/** Finds where the header ends, quoted line breaks respected, and what separates its cells. */
export function scanHeader(bytes: Buffer, given: string | undefined): HeaderScan {
  const delimiters = (given === undefined ? candidates : [given]).map((text) => text.charCodeAt(0))
  const counts = delimiters.map(() => 0)
  const start = skipBlankLines(bytes, 0)
  let quoted = false
  let cellStart = true
  let at = start
  let end: number | undefined
  for (; at < bytes.length && end === undefined; at++) {
    const byte = bytes[at] ?? 0
    const which = delimiters.indexOf(byte)
    // Within quotes, a doubled quote closes and opens again at once. Elsewhere only a cell's first byte opens.
    if (byte === quote && (quoted || cellStart || bytes[at - 1] === quote)) quoted = !quoted
    else if (!quoted && which >= 0) counts[which] = (counts[which] ?? 0) + 1
    else if (!quoted && byte === lf) end = at + 1
    cellStart = which >= 0
  }
  const best = counts.indexOf(Math.max(...counts))
  return { start, end, delimiter: String.fromCharCode(delimiters[best] ?? 0x2c) }
}

/** The first index from `at` on that is not an empty line; the end of `bytes` when nothing else comes. */
export function skipBlankLines(bytes: Buffer, at: number): number {
  for (;;) {
    if (bytes[at] === lf) at += 1
    else if (bytes[at] === cr && bytes[at + 1] === lf) at += 2
    else return at
  }
}
