import type { Client, RequestOptions } from './client.ts'
import type { Row, Table } from './files/index.ts'
import type { Detokenized, Tokenized } from './outcome.ts'

export interface Conversion {
  readonly direction: 'tokenize' | 'detok'
  /** The field of each of the table's columns. Only tokenize asks for it; a token knows its own. */
  readonly fields: readonly string[]
  readonly request: RequestOptions
  /** Leaves a failed item's cell as it was. Otherwise that holds for detok alone: tokenize empties it, as it holds PII. */
  readonly keepFailed: boolean
}

/** What could not be converted: where it is and why, never what it holds. */
export interface ConversionFailure {
  readonly row: number
  readonly line: number
  /** The index of the column; undefined for a row that cannot be read as one. */
  readonly column: number | undefined
  readonly code: string
}

/** A piece of the output, in the order of the input. */
export interface Converted {
  readonly bytes: Buffer
  readonly rows: number
  /** Items that were sent; the failures of cells that hold no text are not among them. */
  readonly items: number
  readonly failures: readonly ConversionFailure[]
}

/** One request's worth: larger ones cost less by the item, smaller ones are answered sooner. */
const itemsPerChunk = 200
/** Also bounds rows that have no items. */
const rowsPerChunk = 1_000
/** Enough to keep several replicas busy, and little enough to hold in memory. */
const chunksInFlight = 24

/**
 * Converts a table: its named cells become tokens, or its tokens values; all else passes as it is, in order and in constant
 * memory. Throws RequestFailed where a request has no outcomes, and whatever reading the table throws.
 */
export async function* convert(client: Client, table: Table, conversion: Conversion): AsyncGenerator<Converted> {
  yield { bytes: table.preamble, rows: 0, items: 0, failures: [] }
  const underWay: Promise<Converted>[] = []
  try {
    for await (const rows of chunks(table.rows, conversion)) {
      const converted = convertChunk(client, rows, conversion)
      converted.catch(() => undefined) // met when its turn comes
      underWay.push(converted)
      if (underWay.length >= chunksInFlight) yield await (underWay.shift() as Promise<Converted>)
    }
    while (underWay.length > 0) yield await (underWay.shift() as Promise<Converted>)
  } finally {
    await Promise.allSettled(underWay)
  }
}

/** The batches of the reader, cut anew so that each piece fills one request. */
async function* chunks(batches: AsyncIterable<Row[]>, conversion: Conversion): AsyncGenerator<Row[]> {
  let chunk: Row[] = []
  let items = 0
  for await (const batch of batches) {
    for (const row of batch) {
      const more = itemsOf(row, conversion).length
      if (chunk.length === rowsPerChunk || (items > 0 && items + more > itemsPerChunk)) {
        yield chunk
        chunk = []
        items = 0
      }
      chunk.push(row)
      items += more
    }
  }
  if (chunk.length > 0) yield chunk
}

interface Item {
  readonly column: number
  readonly text: string
}

/** The cells to be converted. An empty cell is a value, but no token: there is nothing to look up. */
function itemsOf({ cells }: Row, { direction }: Conversion): Item[] {
  return cells.flatMap((cell, column) =>
    cell.kind === 'value' && (direction === 'tokenize' || cell.value !== '') ? [{ column, text: cell.value }] : [],
  )
}

async function convertChunk(client: Client, rows: Row[], conversion: Conversion): Promise<Converted> {
  const items = rows.map((row) => itemsOf(row, conversion))
  const outcomes = await ask(client, rows, items, conversion)
  const failures: ConversionFailure[] = []
  const pieces: Buffer[] = []
  let next = 0
  rows.forEach((row, i) => {
    const place = { row: row.number, line: row.line }
    if (row.problem !== undefined) {
      failures.push({ ...place, column: undefined, code: row.problem.code })
      // It cannot be known where its PII stands, so it does not pass into a file of tokens.
      if (conversion.direction === 'detok' || conversion.keepFailed) pieces.push(row.render([]))
      return
    }
    const replacements: (string | undefined)[] = row.cells.map(() => undefined)
    const fail = (column: number, code: string) => {
      failures.push({ ...place, column, code })
      if (conversion.direction === 'tokenize' && !conversion.keepFailed) replacements[column] = ''
    }
    row.cells.forEach(({ kind }, column) => {
      if (kind === 'invalid') fail(column, 'invalid')
    })
    for (const { column } of items[i] as Item[]) {
      const outcome = outcomes[next++] as Tokenized | Detokenized
      if (outcome.ok) replacements[column] = 'token' in outcome ? outcome.token : outcome.value.reveal()
      else fail(column, outcome.code)
    }
    pieces.push(row.render(replacements))
  })
  return { bytes: Buffer.concat(pieces), rows: rows.length, items: outcomes.length, failures }
}

function ask(
  client: Client,
  rows: Row[],
  items: Item[][],
  conversion: Conversion,
): Promise<(Tokenized | Detokenized)[]> {
  const { direction, fields, request } = conversion
  if (direction === 'detok')
    return client.detok(
      items.flat().map(({ text }) => text),
      request,
    )
  const given = rows.flatMap(({ subject }, i) =>
    (items[i] as Item[]).map(({ column, text: value }) => ({
      field: fields[column] as string,
      value,
      ...(subject === undefined ? {} : { subject }),
    })),
  )
  return client.tokenize(given, request)
}
