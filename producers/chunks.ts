import type { QueueName } from '../shared/contract/grammar.ts'
import type { Row } from './files/index.ts'
import { itemsPerRequest } from './limits.ts'

/** Also bounds rows that have no items. */
const rowsPerChunk = 1_000
/** Keeps chunks of large values small. In UTF-8. */
const bytesPerChunk = 512 * 1_024

/** Rows that are converted together; `items[i]` are those of `rows[i]`. */
export interface Chunk {
  readonly rows: Row[]
  readonly items: Item[][]
}

/** The batches of the reader, cut anew so that each piece fills one request. */
export async function* chunks(batches: AsyncIterable<Row[]>, direction: QueueName): AsyncGenerator<Chunk, undefined> {
  let chunk: Chunk = { rows: [], items: [] }
  let items = 0
  let bytes = 0
  for await (const batch of batches) {
    for (const row of batch) {
      const more = itemsOf(row, direction)
      const moreBytes = more.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
      const full = items > 0 && (items + more.length > itemsPerRequest || bytes + moreBytes > bytesPerChunk)
      if (full || chunk.rows.length === rowsPerChunk) {
        yield chunk
        chunk = { rows: [], items: [] }
        items = bytes = 0
      }
      chunk.rows.push(row)
      chunk.items.push(more)
      items += more.length
      bytes += moreBytes
    }
  }
  if (chunk.rows.length > 0) yield chunk
}

export interface Item {
  readonly column: number
  readonly text: string
}

/** The cells to be converted. An empty cell is a value, but no token: there is nothing to look up. */
function itemsOf({ cells }: Row, direction: QueueName): Item[] {
  return cells.flatMap((cell, column) =>
    cell.kind === 'value' && (direction === 'tokenize' || cell.value !== '') ? [{ column, text: cell.value }] : [],
  )
}
