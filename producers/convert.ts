import type { QueueName } from '../shared/contract/grammar.ts'
import type { Chunk } from './chunks.ts'
import { chunks } from './chunks.ts'
import type { Client, RequestOptions } from './client.ts'
import type { Table } from './files/index.ts'
import type { Detokenized, Tokenized } from './outcome.ts'

export interface Conversion {
  readonly direction: QueueName
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
  /** For such a row: what is the matter, for the person at the terminal. */
  readonly problem?: string
}

/** A piece of the output, in the order of the input. */
export interface Converted {
  readonly bytes: Buffer
  readonly rows: number
  /** Items that were sent; the failures of cells that hold no text are not among them. */
  readonly items: number
  readonly failures: readonly ConversionFailure[]
}

/** Enough to keep several replicas busy, and little enough to hold in memory. */
const chunksInFlight = 24

/**
 * Converts a table: its named cells become tokens, or its tokens values; all else passes as it is, in order and in constant
 * memory. Throws RequestFailed where a request has no outcomes, and whatever reading the table throws.
 */
export async function* convert(client: Client, table: Table, conversion: Conversion): AsyncGenerator<Converted> {
  yield { bytes: table.preamble, rows: 0, items: 0, failures: [] }
  const leaving = new AbortController()
  const { signal = leaving.signal } = conversion.request
  const request = { ...conversion.request, signal: AbortSignal.any([signal, leaving.signal]) }
  const input = chunks(table.rows, conversion.direction)
  const underWay: Promise<Converted>[] = []
  try {
    let next = pull(input)
    for (let ended = false; !ended || underWay.length > 0; ) {
      // Whatever comes first: more input, if there is room for it, or the oldest answer.
      const room = !ended && underWay.length < chunksInFlight
      const come = await Promise.race([...(room ? [next.then(() => 'input')] : []), ...underWay.slice(0, 1)])
      if (come !== 'input') {
        yield await (underWay.shift() as Promise<Converted>)
        continue
      }
      const { value: chunk, done } = await next
      if (done) ended = true
      else {
        underWay.push(handled(convertChunk(client, chunk, { ...conversion, request })))
        next = pull(input)
      }
    }
  } finally {
    // Where it ends early: nobody waits for what was asked for, and the input may never come to an end.
    leaving.abort()
    handled(input.return(undefined))
    await Promise.allSettled(underWay)
  }
}

const pull = (input: AsyncGenerator<Chunk>): Promise<IteratorResult<Chunk, undefined>> => handled(input.next())

/** A promise that is awaited when its turn comes, and until then may fail without harm. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => undefined)
  return promise
}

async function convertChunk(client: Client, chunk: Chunk, conversion: Conversion): Promise<Converted> {
  const { rows, items } = chunk
  const outcomes = await ask(client, chunk, conversion)
  const failures: ConversionFailure[] = []
  const pieces: Buffer[] = []
  let next = 0
  rows.forEach((row, i) => {
    const place = { row: row.number, line: row.line }
    if (row.problem !== undefined) {
      failures.push({ ...place, column: undefined, code: row.problem.code, problem: row.problem.message })
      // It cannot be known where its PII stands, so it does not pass into a file of tokens.
      if (conversion.direction === 'detok' || conversion.keepFailed) pieces.push(row.render([]))
      return
    }
    const replacements: (string | undefined)[] = row.cells.map(() => undefined)
    const asked = new Set(items[i]?.map(({ column }) => column))
    const fail = (column: number, code: string) => {
      failures.push({ ...place, column, code })
      if (conversion.direction === 'tokenize' && !conversion.keepFailed) replacements[column] = ''
    }
    row.cells.forEach(({ kind }, column) => {
      const outcome = asked.has(column) ? outcomes[next++] : undefined
      if (outcome?.ok) replacements[column] = 'token' in outcome ? outcome.token : outcome.value.reveal()
      else if (outcome !== undefined || kind === 'invalid') fail(column, outcome?.code ?? 'invalid')
    })
    pieces.push(row.render(replacements))
  })
  return { bytes: Buffer.concat(pieces), rows: rows.length, items: outcomes.length, failures }
}

function ask(
  client: Client,
  { rows, items }: Chunk,
  { direction, fields, request }: Conversion,
): Promise<(Tokenized | Detokenized)[]> {
  if (direction === 'detok')
    return client.detok(
      items.flat().map(({ text }) => text),
      request,
    )
  const given = items.flatMap((ofRow, i) => {
    const subject = rows[i]?.subject
    return ofRow.map(({ column, text: value }) => ({
      field: fields[column] as string,
      value,
      ...(subject === undefined ? {} : { subject }),
    }))
  })
  return client.tokenize(given, request)
}
