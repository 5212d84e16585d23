import type { Row, TableOptions } from '../../../../producers/files/index.ts'
import { readTable } from '../../../../producers/files/index.ts'

/** The bytes as a source that gives them in chunks of the sizes given, in turn. */
export async function* chunked(bytes: Uint8Array, sizes: readonly number[] = [64 * 1024]): AsyncGenerator<Buffer> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    yield Buffer.from(bytes.subarray(at, at + size))
    at += size
  }
}

export interface WholeTable {
  readonly preamble: Buffer
  readonly rows: Row[]
}

/** The table with all of its rows at once. */
export async function readAll(content: string | Buffer, options: TableOptions, sizes?: number[]): Promise<WholeTable> {
  const { preamble, rows } = await readTable(chunked(Buffer.from(content as string), sizes), options)
  const all: Row[] = []
  for await (const batch of rows) all.push(...batch)
  return { preamble, rows: all }
}

/** The file written back, with the cells that `replace` gives another text for. */
export function written(
  { preamble, rows }: WholeTable,
  replace: (value: string, row: Row, at: number) => string | undefined = () => undefined,
): Buffer {
  const replacements = (row: Row) =>
    row.cells.map((cell, at) => (cell.kind === 'value' ? replace(cell.value, row, at) : undefined))
  return Buffer.concat([preamble, ...rows.map((row) => row.render(replacements(row)))])
}

/** The named cells' values by row; what is no value as its kind or reason, in angle brackets. */
export function valuesOf({ rows }: WholeTable): string[][] {
  return rows.map(({ cells }) =>
    cells.map((cell) => {
      if (cell.kind === 'value') return cell.value
      return cell.kind === 'absent' ? '<absent>' : `<${cell.reason}>`
    }),
  )
}

/** A vault of the simplest kind: a token for every value, and the values back. */
export class Tokens {
  readonly #values: string[] = []

  token = (value: string): string => `tok_${String(this.#values.push(value) - 1).padStart(26, '0')}`
  value = (token: string): string | undefined => this.#values[Number(token.slice(4))]
}

/** The file tokenized and then detokenized, each time read anew. */
export async function thereAndBack(content: string | Buffer, options: TableOptions, sizes?: number[]) {
  const tokens = new Tokens()
  const tokenized = written(await readAll(content, options, sizes), tokens.token)
  const { encoding: _, ...utf8 } = options
  return { tokenized, back: written(await readAll(tokenized, utf8, sizes), tokens.value) }
}
