import { realpath, stat } from 'node:fs/promises'
import type { Conversion } from '../producers/convert.ts'
import type { Row, Table, TableOptions } from '../producers/files/index.ts'

export interface Resumable {
  /** The path of a file. */
  readonly input: string
  readonly table: TableOptions
  readonly conversion: Conversion
}

/** What must be the same for the rest of a conversion to fit what is done: the file, unchanged, and all that shapes the result. */
export async function identityOf({ input, table, conversion }: Resumable, actor: string): Promise<object> {
  const { size, mtimeNs } = await stat(input, { bigint: true })
  const { direction, fields, keepFailed, request } = conversion
  const file = [await realpath(input), String(size), String(mtimeNs)]
  return { file, table, direction, fields, keepFailed, purpose: request.purpose, actor }
}

/** The table without what an earlier run has done: its start and its first rows. */
export function after(count: number, { rows }: Table): Table {
  return { preamble: Buffer.alloc(0), rows: skip(count, rows) }
}

async function* skip(count: number, batches: AsyncIterable<Row[]>): AsyncGenerator<Row[]> {
  let left = count
  for await (const batch of batches) {
    const rest = batch.slice(left)
    left = Math.max(0, left - batch.length)
    if (rest.length > 0) yield rest
  }
}
