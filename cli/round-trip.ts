import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FieldMapping, Format, TableOptions } from '../producers/files/index.ts'
import type { Client } from '../producers/index.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import type { FileReport } from './convert-file.ts'
import { convertFile } from './convert-file.ts'
import { failuresFileOf, outputFileOf } from './file-names.ts'

export interface RoundTrip {
  readonly tokenized: Leg
  readonly detokenized: Leg
}

interface Leg extends FileReport {
  readonly file: string
  readonly failuresFile: string
}

/** Tokenizes a file into `directory`, and detokenizes the result beside it. */
export async function roundTrip(
  client: Client,
  file: string,
  fields: readonly FieldMapping[],
  format: Format,
  directory: string,
  signal: AbortSignal,
): Promise<RoundTrip> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const convert = async (direction: QueueName, input: string, output: string): Promise<Leg> => {
    const failuresFile = failuresFileOf(output)
    const report = await convertFile(client, {
      input,
      output,
      failuresFile,
      table: tableOptions(fields, format),
      conversion: {
        direction,
        fields: fields.map(({ field }) => field),
        request: { purpose: 'demo', signal },
        keepFailed: false,
      },
      ...strict,
      silent: 'It goes on as soon as the servers answer.',
      signal,
    })
    return { ...report, file: output, failuresFile }
  }
  const original = join(directory, basename(file))
  const tokenized = await convert('tokenize', file, outputFileOf(original, 'tokenize'))
  const detokenized = await convert('detok', tokenized.file, outputFileOf(original, 'detok'))
  return { tokenized, detokenized }
}

/** A file must be whole to come back whole. */
export const strict = { allowFailures: false, advice: 'Mend the file and start again.' }

export const tableOptions = (fields: readonly FieldMapping[], format: Format): TableOptions => ({
  format,
  columns: fields.map(({ column }) => column),
})
