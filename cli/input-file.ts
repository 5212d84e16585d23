import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { addAbortSignal } from 'node:stream'
import type { Table, TableOptions, TableScan } from '../producers/files/index.ts'
import { readTable, scanTable } from '../producers/files/index.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'

/** A table in a file, or in standard input for `-`. Its errors name the file, and never quote what is in it. */
export class InputFile {
  readonly #path: string
  readonly #options: TableOptions
  readonly #signal: AbortSignal
  readonly #name: string
  #stream: Readable | undefined

  constructor(path: string, options: TableOptions, signal: AbortSignal) {
    this.#path = path
    this.#options = options
    this.#signal = signal
    this.#name = path === '-' ? 'Standard input' : path
  }

  async read(): Promise<Table> {
    const { preamble, rows } = await this.#attempt(() => readTable(this.#bytes(), this.#options))
    return { preamble, rows: this.#guard(rows) }
  }

  /** Reads all of it before anything is done with it. */
  scan(): Promise<TableScan> {
    return this.#attempt(() => scanTable(this.#bytes(), this.#options))
  }

  /** Also while it is being read. */
  close(): void {
    this.#stream?.destroy()
  }

  /** Ends when the signal is aborted, also while it waits for more. */
  #bytes(): AsyncIterable<Uint8Array> {
    const stream = this.#path === '-' ? process.stdin : createReadStream(this.#path, { highWaterMark: 256 * 1024 })
    this.#stream = addAbortSignal(this.#signal, stream)
    return this.#stream as AsyncIterable<Buffer>
  }

  async *#guard<T>(rows: AsyncIterable<T>): AsyncGenerator<T> {
    try {
      yield* rows
    } catch (error) {
      throw this.#described(error)
    }
  }

  #attempt<T>(work: () => Promise<T>): Promise<T> {
    return work().catch((error: unknown) => {
      throw this.#described(error)
    })
  }

  #described(error: unknown): unknown {
    if (this.#signal.aborted) return this.#signal.reason
    if (!(error instanceof UserError)) return unreadable(this.#name, error)
    return error.exitCode === exitCodes.usage ? error : new UserError(`${this.#name}: ${error.message}`)
  }
}

/**
 * True for what can be read only once: standard input, a named pipe, `<(…)`. Fails with a UserError if the path cannot
 * be read at all.
 */
export async function isReadOnce(path: string): Promise<boolean> {
  if (path === '-') return true
  try {
    const there = await stat(path)
    if (there.isDirectory()) throw new UserError(`${path} is a directory: name a file in it.`)
    if (!there.isFile()) return true
    await (await open(path)).close()
    return false
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(name: string, error: unknown): unknown {
  const code = errorCode(error)
  if (error instanceof UserError || !(error instanceof Error && 'syscall' in error) || code === undefined) return error
  if (code === 'ENOENT') return new UserError(`There is no file ${name}.`)
  return new UserError(`${name} cannot be read: ${code === 'EACCES' ? 'permission denied' : code}.`)
}
