import * as grammar from '../../shared/contract/grammar.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import { named } from './columns.ts'

export interface FieldMapping {
  /** As the file's header has it. */
  readonly column: string
  /** As the vault's records have it: `[a-z][a-z0-9_]{0,63}`. */
  readonly field: string
}

const isFieldName = (text: string): boolean => grammar.fieldName.safeParse(text).success

/** One item of the list and the comma or end after it: a column, in quotes or without `,`, `=` and `"`; then `=field`. */
const item = /\s*(?:"((?:[^"]|"")*)"\s*|([^\s",=][^",=]*)?)(?:=([^,]*))?(,|$)/y

/**
 * Reads the values of `--fields`, which may be repeated: each a list such as `email,E-Mail 2=email,"a, b"=address`.
 * A column that is no field name and has no `=field` becomes one by lower case and `_`.
 *
 * Fails with a UserError for a list that breaks this grammar, a field name that is none, or a column named twice.
 */
export function parseFields(values: readonly string[]): FieldMapping[] {
  const mappings = values.flatMap(parseList)
  if (mappings.length === 0) throw usageError('--fields names no column.')
  for (const [at, { column }] of mappings.entries())
    if (mappings.findIndex((mapping) => mapping.column === column) !== at)
      throw usageError(`--fields names column ${named(column)} twice.`)
  return mappings
}

function parseList(list: string): FieldMapping[] {
  const mappings: FieldMapping[] = []
  item.lastIndex = 0
  for (;;) {
    const at = item.lastIndex
    const match = item.exec(list)
    if (!match)
      throw usageError(
        `--fields cannot be read from character ${at + 1} on: write column or column=field, separated by commas, ` +
          'and a column that has a comma, a quote or = in it as "a, b"=field.',
      )
    const [, quoted, bare, field, end] = match
    const column = quoted === undefined ? (bare ?? '').trim() : quoted.replaceAll('""', '"')
    if (quoted === undefined && column === '')
      throw usageError('--fields has an empty item: is there a comma too many?')
    mappings.push({ column, field: field === undefined ? fieldFrom(column) : checkedField(field.trim(), column) })
    if (end === '') return mappings
  }
}

function checkedField(field: string, column: string): string {
  if (isFieldName(field)) return field
  throw usageError(
    `${named(field)}, given for column ${named(column)}, is no field name: a lower-case letter, then up to 63 of a-z, 0-9 and _.`,
  )
}

/** `E-Mail` gives `e_mail`, `Größe` gives `grosse`. Letters that have no plain form are not guessed at. */
function fieldFrom(column: string): string {
  if (isFieldName(column)) return column
  const letters = column
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/[\p{M}\p{Cf}]/gu, '')
  const field = letters.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_+|_+$/g, '')
  if (isFieldName(field)) return field
  throw usageError(
    `Column ${named(column)} makes no field name by itself: give it one, as ${shown(column)}=some_field.`,
  )
}

function shown(column: string): string {
  return /[\s",=]|^$/.test(column) ? `"${column.replaceAll('"', '""')}"` : column
}

function usageError(message: string): UserError {
  return new UserError(message, exitCodes.usage)
}
