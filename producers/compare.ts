import { createReadStream } from 'node:fs'
import type { Row, TableOptions } from './files/index.ts'
import { readTable } from './files/index.ts'

/**
 * True if two files hold the same: the same value in each named cell, and the same bytes everywhere else. (A JSON string may
 * come back with other escapes, which is the same value.)
 */
export async function sameTable(one: string, other: string, options: TableOptions): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map((path) => readTable(createReadStream(path), options)))
  if (a === undefined || b === undefined || !a.preamble.equals(b.preamble)) return false
  const left = rowsOf(a.rows)
  const right = rowsOf(b.rows)
  for (;;) {
    const [x, y] = await Promise.all([left.next(), right.next()])
    if (x.done || y.done) return x.done === y.done
    if (!sameRow(x.value, y.value)) return false
  }
}

async function* rowsOf(batches: AsyncIterable<Row[]>): AsyncGenerator<Row> {
  for await (const batch of batches) yield* batch
}

function sameRow(a: Row, b: Row): boolean {
  const sameCells = a.cells.every((cell, i) => {
    const twin = b.cells[i]
    return cell.kind === twin?.kind && (cell.kind !== 'value' || twin.kind !== 'value' || cell.value === twin.value)
  })
  // What is left when the named cells are blotted out.
  const rest = (row: Row) => row.render(row.cells.map(() => ''))
  return sameCells && a.cells.length === b.cells.length && rest(a).equals(rest(b))
}
