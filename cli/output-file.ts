import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { realpath, stat } from 'node:fs/promises'
import { UserError } from '../shared/errors/user-error.ts'
import { openPrivate, PrivateFile, unwritable } from './private-file.ts'

/** Where a command writes to: `-` is standard output, anything else a file that is there whole or not at all. */
export interface Output {
  write(bytes: Buffer): Promise<void>
  /** Puts the file in its place. */
  commit(): Promise<void>
  /** Takes away what was written, or leaves it for a later run. After `commit` it does nothing. */
  discard(keep?: 'keep'): Promise<void>
  /** Resolves when all that was written is on the disk; the bytes of it. */
  sync(): Promise<number>
}

/** Fails with a UserError if nothing can be written there. */
export async function openOutput(path: string): Promise<Output> {
  if (path === '-') return new StandardOutput()
  const there = await whatIsAt(path)
  // A device or a named pipe is written to as it is; a file put in its place would be no such thing any more.
  if (there !== undefined && !there.isFile()) return new Device(path, await openPrivate(path, path, 'w'))
  // Where it is a symbolic link, the file behind it is meant.
  const place = there === undefined ? path : await realpath(path)
  const temporary = `${place}.${randomBytes(4).toString('hex')}.partial`
  return new PrivateFile(path, place, temporary, await openPrivate(path, temporary, 'wx'))
}

/** One that is kept when discarded, and goes on after the first `bytes` of what an earlier run has kept. */
export async function resumeOutput(path: string, bytes: number): Promise<Output> {
  const there = await whatIsAt(path)
  if (path === '-' || (there !== undefined && !there.isFile()))
    throw new UserError(`${path === '-' ? 'standard output' : path} is no file: what goes there cannot be resumed`)
  const place = there === undefined ? path : await realpath(path)
  const temporary = `${place}.partial`
  const file = await openPrivate(path, temporary, bytes === 0 ? 'w' : 'r+')
  const { size } = await file.stat()
  await file.truncate(Math.min(size, bytes))
  if (size < bytes)
    throw new UserError(`${temporary} is shorter than it was left: remove ${place}.resume to begin anew`)
  return new PrivateFile(path, place, temporary, file, bytes)
}

async function whatIsAt(path: string): Promise<Stats | undefined> {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) throw new UserError(`${path} is a directory: name a file in it`)
  return there
}

class Device implements Output {
  readonly #path: string
  readonly #file: FileHandle

  constructor(path: string, file: FileHandle) {
    this.#path = path
    this.#file = file
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#file.appendFile(bytes).catch((error: unknown) => {
      throw unwritable(this.#path, error)
    })
  }

  async commit(): Promise<void> {
    await this.discard()
  }

  async sync(): Promise<number> {
    return 0
  }

  async discard(): Promise<void> {
    await this.#file.close().catch(() => undefined)
  }
}

class StandardOutput implements Output {
  #failure: unknown

  constructor() {
    // Its reader may leave at any time, as `head` does.
    process.stdout.on('error', (error) => {
      this.#failure = error
    })
  }

  async write(bytes: Buffer): Promise<void> {
    try {
      if (this.#failure === undefined && !process.stdout.write(bytes)) await once(process.stdout, 'drain')
    } catch (error) {
      this.#failure = error
    }
    if (this.#failure !== undefined) throw unwritable('standard output', this.#failure)
  }

  /** Resolves when all of it is out. */
  async commit(): Promise<void> {
    await new Promise<void>((resolve) => process.stdout.write('', () => resolve()))
    await this.write(Buffer.alloc(0))
  }

  async sync(): Promise<number> {
    return 0
  }

  async discard(): Promise<void> {
    // What was written is out of our hands.
  }
}
