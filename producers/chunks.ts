import type { QueueName } from '../shared/contract/grammar.ts'
import type { Row } from './files/index.ts'
import { itemsPerRequest } from './limits.ts'

/** Also bounds rows that have no items. */
const rowsPerChunk = 1_000
/** Keeps chunks of large values small. In UTF-8. */
const bytesPerChunk = 512 * 1_024

/** The batches of the reader, cut anew so that each piece fills one request. */
export async function* chunks(batches: AsyncIterable<Row[]>, direction: QueueName): AsyncGenerator<Row[], undefined> {
  let chunk: Row[] = []
  let items = 0
  let bytes = 0
  for await (const batch of batches) {
    for (const row of batch) {
      const more = itemsOf(row, direction)
      const moreBytes = more.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
      const full = items > 0 && (items + more.length > itemsPerRequest || bytes + moreBytes > bytesPerChunk)
      if (full || chunk.length === rowsPerChunk) {
        yield chunk
        chunk = []
        items = bytes = 0
      }
      chunk.push(row)
      items += more.length
      bytes += moreBytes
    }
  }
  if (chunk.length > 0) yield chunk
}

export interface Item {
  readonly column: number
  readonly text: string
}

/** The cells to be converted. An empty cell is a value, but no token: there is nothing to look up. */
export function itemsOf({ cells }: Row, direction: QueueName): Item[] {
  return cells.flatMap((cell, column) =>
    cell.kind === 'value' && (direction === 'tokenize' || cell.value !== '') ? [{ column, text: cell.value }] : [],
  )
}
