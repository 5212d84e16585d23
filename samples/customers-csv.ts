import { columns, randomCustomer } from './customer.ts'
import { createRandom } from './random.ts'

const chunkLength = 64 * 1024

/** The header and `rows` customers as RFC 4180 CSV, in pieces. More rows of a seed begin with the fewer. */
export function* customersCsv(rows: number, seed: number): Generator<string> {
  const random = createRandom(seed)
  let chunk = record(columns)
  for (let number = 1; number <= rows; number++) {
    const customer = randomCustomer(random, number)
    chunk += record(columns.map((column) => customer[column]))
    if (chunk.length >= chunkLength) {
      yield chunk
      chunk = ''
    }
  }
  if (chunk !== '') yield chunk
}

function record(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\n`
}

/** In quotes only where it must be. */
function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}
