import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FieldMapping, Format, TableOptions } from '../producers/files/index.ts'
import type { Client } from '../producers/index.ts'
import type { FileReport } from './convert-file.ts'
import { convertFile } from './convert-file.ts'
import { failuresFileOf, outputFileOf } from './file-names.ts'

export interface RoundTrip {
  readonly tokenized: FileReport & { readonly file: string }
  readonly detokenized: FileReport & { readonly file: string }
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
  const convert = async (direction: 'tokenize' | 'detok', input: string, output: string) => {
    const report = await convertFile(client, {
      input,
      output,
      failuresFile: failuresFileOf(output),
      table: tableOptions(fields, format),
      conversion: {
        direction,
        fields: fields.map(({ field }) => field),
        request: { purpose: 'demo', signal },
        keepFailed: false,
      },
      allowFailures: false,
      signal,
    })
    return { ...report, file: output }
  }
  const original = join(directory, basename(file))
  const tokenized = await convert('tokenize', file, outputFileOf(original, 'tokenize'))
  const detokenized = await convert('detok', tokenized.file, outputFileOf(original, 'detok'))
  return { tokenized, detokenized }
}

export const tableOptions = (fields: readonly FieldMapping[], format: Format): TableOptions => ({
  format,
  columns: fields.map(({ column }) => column),
})
