import { extname } from 'node:path'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import type { Format } from './row.ts'

const formats: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
}

/** The format that was asked for, else the one that the path's extension says. Fails with a UserError if neither does. */
export function formatOf(path: string, explicit?: string): Format {
  if (explicit === 'csv' || explicit === 'ndjson') return explicit
  if (explicit !== undefined)
    throw new UserError(
      `Unknown format ${JSON.stringify(explicit)}: use --format csv or --format ndjson.`,
      exitCodes.usage,
    )
  const format = formats[extname(path).toLowerCase()]
  if (format) return format
  const what =
    path === '-' ? 'Standard input has no extension' : `${JSON.stringify(path)} is not .csv, .tsv, .ndjson or .jsonl`
  throw new UserError(`${what}: say what it holds by --format csv or --format ndjson.`, exitCodes.usage)
}
