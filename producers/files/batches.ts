import type { Row } from './row.ts'

/** Turns the chunks of a file into its rows. A row may come with a later chunk than the one it ends in. */
export interface RowReader {
  read(chunk: Buffer): Row[] | Promise<Row[]>
  /** What is left when the file has ended. */
  end(): Row[] | Promise<Row[]>
}

/** The rows of `first` and then of `chunks`, one batch a chunk; the next chunk is read when the next batch is asked for. */
export async function* batches(
  reader: RowReader,
  first: Buffer,
  chunks: AsyncGenerator<Buffer>,
): AsyncGenerator<Row[]> {
  yield* unlessEmpty(await reader.read(first))
  // Leaving this loop early, by the caller's will or by an error, also closes the file.
  for await (const chunk of chunks) yield* unlessEmpty(await reader.read(chunk))
  yield* unlessEmpty(await reader.end())
}

function* unlessEmpty(rows: Row[]): Generator<Row[]> {
  if (rows.length > 0) yield rows
}
