import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { UserError } from '../shared/errors/user-error.ts'

/** Where a command writes to: `-` is standard output, anything else a file that is there whole or not at all. */
export interface Output {
  write(bytes: Buffer): Promise<void>
  /** Puts the file in its place. */
  commit(): Promise<void>
  /** Takes away what was written. After `commit` it does nothing. */
  discard(): Promise<void>
}

export function openOutput(path: string): Output {
  return path === '-' ? new StandardOutput() : new PrivateFile(path)
}

/** Written under a temporary name beside its own, for its owner alone: it may hold PII. */
class PrivateFile implements Output {
  readonly #path: string
  readonly #temporary: string
  readonly #stream: Writable
  #state: 'open' | 'committed' | 'discarded' = 'open'

  constructor(path: string) {
    this.#path = path
    this.#temporary = `${path}.${process.pid}.partial`
    this.#stream = createWriteStream(this.#temporary, { mode: 0o600, flags: 'wx' })
    this.#stream.on('error', () => undefined) // each write reports it
  }

  async write(bytes: Buffer): Promise<void> {
    try {
      if (this.#stream.errored) throw this.#stream.errored
      if (!this.#stream.write(bytes)) await once(this.#stream, 'drain')
    } catch (error) {
      throw this.#problem(error)
    }
  }

  async commit(): Promise<void> {
    try {
      this.#stream.end()
      await finished(this.#stream)
      await rename(this.#temporary, this.#path)
      this.#state = 'committed'
    } catch (error) {
      throw this.#problem(error)
    }
  }

  async discard(): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'discarded'
    this.#stream.destroy()
    await rm(this.#temporary, { force: true })
  }

  #problem(error: unknown): UserError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    return new UserError(`${this.#path} cannot be written (${code}). Nothing was left in its place.`)
  }
}

class StandardOutput implements Output {
  async write(bytes: Buffer): Promise<void> {
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain')
  }

  async commit(): Promise<void> {
    // What was written is out of our hands already.
  }

  async discard(): Promise<void> {
    // As above.
  }
}
