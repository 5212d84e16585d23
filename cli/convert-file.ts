import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { Conversion, ConversionFailure } from '../producers/convert.ts'
import { convert } from '../producers/convert.ts'
import type { TableOptions } from '../producers/files/index.ts'
import { readTable, scanTable } from '../producers/files/index.ts'
import type { Client } from '../producers/index.ts'
import { RequestFailed } from '../producers/index.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Output } from './output-file.ts'
import { openOutput } from './output-file.ts'
import { showProgress } from './progress.ts'

export interface FileConversion {
  /** A path, or `-` for standard input. */
  readonly input: string
  readonly output: string
  readonly failuresFile: string
  readonly table: TableOptions
  readonly conversion: Conversion
  /** Goes on where a row cannot be read as one, instead of stopping with nothing done. */
  readonly allowFailures: boolean
  readonly signal?: AbortSignal
}

export interface FileReport {
  readonly rows: number
  readonly items: number
  readonly failed: number
  readonly failuresByCode: ReadonlyMap<string, number>
  readonly seconds: number
}

const shownProblems = 10

/**
 * Converts one file. What is read from a file is checked as a whole before anything is sent, so that a broken one stops the
 * run with nothing half-done; standard input can be read only once, so there a broken row stops it on the way.
 */
export async function convertFile(client: Client, file: FileConversion): Promise<FileReport> {
  const { input, table: options, conversion, allowFailures, signal } = file
  const total = input === '-' ? undefined : await check(file)
  const table = await readTable(openInput(input), options)
  const output = openOutput(file.output)
  const failures = new FailureList(file.failuresFile, options.columns)
  const progress = showProgress(
    conversion.direction === 'tokenize' ? 'Tokenizing' : 'Detokenizing',
    total,
    `Is a worker running? \`pii-vault worker ${conversion.direction}\` starts one.`,
  )
  const started = performance.now()
  let rows = 0
  let items = 0
  try {
    for await (const piece of convert(client, table, conversion)) {
      signal?.throwIfAborted()
      await output.write(piece.bytes)
      await failures.add(piece.failures)
      rows += piece.rows
      items += piece.items
      if (!allowFailures && failures.brokenRows > 0)
        throw new UserError(`row ${failures.lastRow} cannot be read. ${advice}`)
      if (piece.rows > 0) progress.update(rows, items)
    }
    await output.commit()
    await failures.commit()
  } catch (error) {
    throw error instanceof RequestFailed
      ? new UserError(`a request was not answered: ${error.message} (${error.code})`)
      : error
  } finally {
    progress.stop()
    await output.discard()
    await failures.discard()
  }
  const seconds = (performance.now() - started) / 1_000
  return { rows, items, failed: failures.count, failuresByCode: failures.byCode, seconds }
}

const advice = 'Mend it, or go on without such rows by --allow-failures.'

async function check({ input, table, allowFailures }: FileConversion): Promise<number> {
  const { rows, problems, problemCount } = await scanTable(openInput(input), table)
  if (problemCount === 0 || allowFailures) return rows
  const shown = problems.slice(0, shownProblems).map(({ message }) => `\n  - ${message}`)
  const more = problemCount > shown.length ? `\n  and ${problemCount - shown.length} more` : ''
  throw new UserError(
    `${input} has rows that cannot be read; nothing was sent and nothing written:${shown.join('')}${more}\n${advice}`,
  )
}

function openInput(input: string): AsyncIterable<Uint8Array> {
  return input === '-' ? process.stdin : readable(input)
}

async function* readable(path: string): AsyncGenerator<Uint8Array> {
  try {
    if ((await stat(path)).isDirectory()) throw new UserError(`${path} is a directory`)
    yield* createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof UserError || !(error instanceof Error && 'syscall' in error && 'code' in error)) throw error
    throw new UserError(
      error.code === 'ENOENT' ? `there is no file ${path}` : `${path} cannot be read (${String(error.code)})`,
    )
  }
}

/** The list of what failed, one JSON object a line: where and why, never a value. The file is there only if something failed. */
class FailureList {
  readonly byCode = new Map<string, number>()
  readonly #path: string
  readonly #columns: readonly string[]
  #file: Output | undefined
  count = 0
  brokenRows = 0
  lastRow = 0

  constructor(path: string, columns: readonly string[]) {
    this.#path = path
    this.#columns = columns
  }

  async add(failures: readonly ConversionFailure[]): Promise<void> {
    if (failures.length === 0) return
    this.#file ??= openOutput(this.#path)
    const lines = failures.map(({ row, line, column, code }) => {
      this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1)
      if (column === undefined) this.brokenRows++
      this.lastRow = row
      return `${JSON.stringify({ row, line, column: column === undefined ? null : this.#columns[column], code })}\n`
    })
    this.count += failures.length
    await this.#file.write(Buffer.from(lines.join('')))
  }

  async commit(): Promise<void> {
    if (this.#file === undefined)
      await rm(this.#path, { force: true }) // of an earlier run
    else await this.#file.commit()
  }

  async discard(): Promise<void> {
    await this.#file?.discard()
  }
}
