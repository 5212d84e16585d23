import { exitCodes, UserError } from '../../shared/errors/user-error.ts'

const listed = 40

/** Fails with a UserError if the options contradict themselves, whatever the file holds. */
export function checkColumns(columns: readonly string[], subject: string | undefined): void {
  const twice = columns.find((column, at) => columns.indexOf(column) !== at)
  if (twice !== undefined) throw new UserError(`Column ${named(twice)} is named twice.`, exitCodes.usage)
  if (subject !== undefined && columns.includes(subject))
    throw new UserError(
      `Column ${named(subject)} cannot be both the subject, which is kept as it is, and a column to replace.`,
      exitCodes.usage,
    )
}

/** The place of `column` in the header. Fails with a UserError if it is not there, or there more than once. */
export function placeOf(column: string, header: readonly string[]): number {
  const place = header.indexOf(column)
  if (place < 0) throw unknownColumn(column, header, 'header')
  if (header.indexOf(column, place + 1) >= 0)
    throw new UserError(
      `The header has more than one column ${named(column)}, so which one is meant cannot be known: rename one of them.`,
    )
  return place
}

/**
 * Names of a first line are not listed: in a file without a header they are values. Only one that is nearly what was asked
 * for is shown. Keys of JSON are no values.
 */
export function unknownColumn(column: string, known: readonly string[], kind: 'header' | 'keys'): UserError {
  const nearest = nearestTo(column, known)
  const hint = nearest === undefined ? '' : ` Did you mean ${named(nearest)}?`
  const more = known.length > listed ? ` and ${known.length - listed} more` : ''
  const has =
    kind === 'keys'
      ? ` It has: ${known.slice(0, listed).map(named).join(', ')}${more}.`
      : ` The names of its ${known.length} columns are taken from its first line: look whether that is a header.`
  return new UserError(`The file has no column ${named(column)}.${hint}${has}`)
}

/** A column's name for a message: quoted and escaped, so that it cannot act on a terminal, and not endless. */
export function named(column: string): string {
  const escaped = JSON.stringify(column.length > 80 ? `${column.slice(0, 80)}…` : column)
  return escaped.replace(/[\p{Cf}\p{Cc}]/gu, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function nearestTo(column: string, known: readonly string[]): string | undefined {
  const plain = plainForm(column)
  let nearest: string | undefined
  let least = Math.floor(plain.length / 3) + 1
  for (const candidate of known.slice(0, 1000)) {
    const far = distance(plain, plainForm(candidate))
    if (far < least) [nearest, least] = [candidate, far]
  }
  return nearest
}

/** Spelling apart from what is easily mistaken: case, spaces at the ends, `_` for a space, accents. */
function plainForm(name: string): string {
  const letters = name.slice(0, 80).toLowerCase().normalize('NFKD')
  return letters
    .replace(/[\p{M}\p{Cf}]/gu, '')
    .replace(/[\s_-]+/gu, ' ')
    .trim()
}

/** How many letters have to be put in, left out or exchanged to make one of the other (Levenshtein). */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const exchanged = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1)
      next.push(Math.min(exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
