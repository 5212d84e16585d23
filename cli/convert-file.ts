import { realpath } from 'node:fs/promises'
import type { Conversion } from '../producers/convert.ts'
import { convert } from '../producers/convert.ts'
import type { TableOptions, TableScan } from '../producers/files/index.ts'
import type { Client } from '../producers/index.ts'
import { RequestFailed } from '../producers/index.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { Destination } from './destination.ts'
import { InputFile, isReadOnce } from './input-file.ts'
import { showProgress } from './progress.ts'
import { after, identityOf } from './resume.ts'
import { count, say } from './terminal.ts'

export interface FileConversion {
  /** A path, or `-` for standard input. */
  readonly input: string
  /** A path, or `-` for standard output. */
  readonly output: string
  readonly failuresFile: string
  readonly table: TableOptions
  readonly conversion: Conversion
  /** Goes on where a row cannot be read as one, instead of stopping with nothing done. */
  readonly allowFailures: boolean
  /** What a person can do about such rows. */
  readonly advice: string
  /** What to say if no answer comes for a while. */
  readonly silent: string
  /** Keeps what is done if it stops, and goes on from there when it is run again: the actor in whose name. */
  readonly resumable?: string | undefined
  readonly signal: AbortSignal
}

export interface FileReport {
  readonly rows: number
  readonly items: number
  /** Items, and rows that cannot be read as one. */
  readonly failed: number
  readonly brokenRows: number
  readonly failuresByCode: ReadonlyMap<string, number>
  readonly seconds: number
  readonly itemsPerSecond: number
}

const shownProblems = 10
const labels = { tokenize: 'Tokenizing', detok: 'Detokenizing' }

/**
 * Converts one file. What can be read twice is checked as a whole before anything is sent, so that a broken file stops the
 * run with nothing half-done; standard input can be read only once, so there a broken row stops it on the way.
 * Either way the output is there whole or not at all.
 */
export async function convertFile(client: Client, file: FileConversion): Promise<FileReport> {
  const readOnce = await isReadOnce(file.input)
  await refuseSameFile(file)
  const input = new InputFile(file.input, file.table, file.signal)
  const { output, failuresFile } = file
  const places = { output, failuresFile, columns: file.table.columns }
  const destination = await Destination.open(
    places,
    file.resumable ? await identityOf(file, file.resumable) : undefined,
  )
  try {
    const total = readOnce ? undefined : acceptedRows(file, await input.scan())
    const report = await pump(client, file, input, { destination, total })
    file.signal.throwIfAborted()
    await destination.commit()
    return report
  } finally {
    input.close()
    if (await destination.discard())
      say(`What is done is kept: ${count(destination.rows)} rows. The same command goes on after them.`)
  }
}

async function pump(
  client: Client,
  { conversion, allowFailures, advice, silent, signal }: FileConversion,
  input: InputFile,
  { destination, total }: { destination: Destination; total: number | undefined },
): Promise<FileReport> {
  const started = performance.now()
  const { rows: rowsBefore, items: itemsBefore, failures } = destination
  if (rowsBefore > 0) say(`Going on after row ${count(rowsBefore)}.`)
  const progress = showProgress(labels[conversion.direction], { done: rowsBefore, total }, silent)
  try {
    const table = await input.read()
    for await (const piece of convert(client, rowsBefore > 0 ? after(rowsBefore, table) : table, conversion)) {
      signal.throwIfAborted()
      const broken = piece.failures.find(({ problem }) => problem !== undefined)
      if (broken && !allowFailures) throw new UserError(`${broken.problem}. ${advice}`)
      await destination.write(piece)
      if (piece.rows > 0) progress.update(destination.rows, destination.items - itemsBefore)
    }
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error
    throw new UserError(`A request was not answered: ${error.message} (${error.code})`)
  } finally {
    progress.stop()
  }
  const seconds = (performance.now() - started) / 1_000
  const { rows, items } = destination
  const itemsPerSecond = Math.round((items - itemsBefore) / seconds)
  const { total: failed, brokenRows, byCode: failuresByCode } = failures
  return { rows, items, failed, brokenRows, failuresByCode, seconds, itemsPerSecond }
}

/** The number of rows, if the file may be converted. */
export function acceptedRows(
  { input, allowFailures, advice }: Pick<FileConversion, 'input' | 'allowFailures' | 'advice'>,
  scan: TableScan,
): number {
  const { rows, problems, problemCount } = scan
  if (problemCount === 0 || allowFailures) return rows
  const shown = problems.slice(0, shownProblems).map(({ message }) => `\n  - ${message}`)
  const more = problemCount > shown.length ? `\n  and ${problemCount - shown.length} more` : ''
  throw new UserError(
    `${input} has rows that cannot be read; nothing was sent and nothing written:${shown.join('')}${more}\n${advice}`,
  )
}

/** An output in the input's place would take away the values that failed. */
async function refuseSameFile({ input, output, failuresFile }: FileConversion): Promise<void> {
  const given = [input, output, failuresFile].filter((path) => path !== '-')
  const places = await Promise.all(given.map((path) => realpath(path).catch(() => path)))
  const twice = given.find((_, at) => places.indexOf(places[at] as string) !== at)
  if (twice !== undefined)
    throw new UserError(`${twice} cannot be input, output and list of failures at once.`, exitCodes.usage)
}
