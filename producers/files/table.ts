import { checkColumns } from './columns.ts'
import { readCsv } from './csv.ts'
import { utf8Chunks } from './encoding.ts'
import { readNdjson } from './ndjson.ts'
import type { RowProblem, Table, TableOptions } from './row.ts'

const listedProblems = 100

/**
 * Opens a table: reads up to its first row and finds the columns. The rows follow as they are pulled.
 *
 * Fails with a UserError, and so does `rows`: no such column, invalid bytes, broken quotes and the like, with row and
 * column, and without anything that stands in a cell. What `input` throws (no such file, no permission) passes through.
 */
export async function readTable(input: AsyncIterable<Uint8Array>, options: TableOptions): Promise<Table> {
  checkColumns(options.columns, options.subject)
  const chunks = utf8Chunks(input, options.encoding)
  try {
    return await (options.format === 'csv' ? readCsv(chunks, options) : readNdjson(chunks, options))
  } catch (error) {
    await chunks.return(undefined)
    throw error
  }
}

export interface TableScan {
  readonly rows: number
  /** The first hundred of them. */
  readonly problems: RowProblem[]
  readonly problemCount: number
}

/** Reads a whole table before anything is done with it, so that a broken one stops the run at once. Fails as readTable. */
export async function scanTable(input: AsyncIterable<Uint8Array>, options: TableOptions): Promise<TableScan> {
  const table = await readTable(input, options)
  const problems: RowProblem[] = []
  let rows = 0
  let problemCount = 0
  for await (const batch of table.rows) {
    rows += batch.length
    for (const { problem } of batch) {
      if (!problem) continue
      problemCount++
      if (problems.length < listedProblems) problems.push(problem)
    }
  }
  return { rows, problems, problemCount }
}
