import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { open, realpath, rename, rm, stat } from 'node:fs/promises'
import { errorCode } from '../errors/error-code.ts'
import { UserError } from '../errors/user-error.ts'

/**
 * A file for its owner alone, as it may hold PII or a secret: from its first moment on, and there whole or not at all. It is
 * written under a temporary name beside its own. All errors are UserErrors, and name the file as it was given.
 */
export class PrivateFile {
  readonly #path: string
  readonly #place: string
  readonly #temporary: string
  readonly #file: FileHandle
  #state: 'open' | 'committed' | 'discarded' = 'open'
  #bytes: number

  static async create(path: string): Promise<PrivateFile> {
    const place = await placeOf(path)
    const temporary = `${place}.${randomBytes(4).toString('hex')}.partial`
    return new PrivateFile(path, place, temporary, await openPrivate(path, temporary, 'wx'), 0)
  }

  /** Goes on after the first `bytes` of what an earlier one has left by `discard('keep')`. Undefined: that is not there whole. */
  static async resume(path: string, bytes: number): Promise<PrivateFile | undefined> {
    const place = await placeOf(path)
    const temporary = `${place}.partial`
    const file = await openPrivate(path, temporary, bytes === 0 ? 'w' : 'r+')
    const { size } = await file.stat()
    if (size < bytes) {
      await file.close()
      return undefined
    }
    await file.truncate(bytes)
    return new PrivateFile(path, place, temporary, file, bytes)
  }

  private constructor(path: string, place: string, temporary: string, file: FileHandle, bytes: number) {
    this.#path = path
    this.#place = place
    this.#temporary = temporary
    this.#file = file
    this.#bytes = bytes
  }

  async write(bytes: Buffer): Promise<void> {
    await this.#step(async () => {
      for (let at = 0; at < bytes.length; ) {
        const { bytesWritten } = await this.#file.write(bytes, at, bytes.length - at, this.#bytes)
        at += bytesWritten
        this.#bytes += bytesWritten
      }
    })
  }

  /** Resolves when all that was written is on the disk; the bytes of it. */
  async sync(): Promise<number> {
    await this.#step(() => this.#file.sync())
    return this.#bytes
  }

  /** Puts it in its place. */
  async commit(): Promise<void> {
    await this.#step(async () => {
      await this.#file.sync()
      await this.#file.close()
      await rename(this.#temporary, this.#place)
    })
    this.#state = 'committed'
  }

  /** Takes away what was written, or leaves it for `resume`. After `commit` it does nothing. */
  async discard(keep?: 'keep'): Promise<void> {
    if (this.#state !== 'open') return
    this.#state = 'discarded'
    await this.#file.close().catch(() => undefined)
    if (keep === undefined) await rm(this.#temporary, { force: true })
  }

  async #step(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => {
      throw unwritable(this.#path, error)
    })
  }
}

export async function writePrivate(path: string, content: string): Promise<void> {
  const file = await PrivateFile.create(path)
  try {
    await file.write(Buffer.from(content))
    await file.commit()
  } finally {
    await file.discard()
  }
}

/** A device or a named pipe is written to as it is; a file put in its place would be no such thing any more. */
export async function isDevice(path: string): Promise<boolean> {
  const there = await whatIsAt(path)
  return there !== undefined && !there.isFile()
}

/** Where it is a symbolic link, the file behind it is meant. */
async function placeOf(path: string): Promise<string> {
  const there = await whatIsAt(path)
  if (there === undefined) return path
  if (!there.isFile()) throw new UserError(`${path} is no regular file.`)
  return realpath(path)
}

async function whatIsAt(path: string): Promise<Stats | undefined> {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory()) throw new UserError(`${path} is a directory: name a file in it.`)
  return there
}

/** `path`: what it is called towards a person. */
async function openPrivate(path: string, file: string, flags: string): Promise<FileHandle> {
  const handle = await open(file, flags, 0o600).catch((error: unknown) => {
    throw unwritable(path, error)
  })
  // The umask may have taken what its owner needs. Not every file system knows of modes.
  await handle.chmod(0o600).catch(() => undefined)
  return handle
}

const reasons: Record<string, string | undefined> = {
  ENOENT: 'its directory does not exist',
  ENOTDIR: 'its directory is none',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EPIPE: 'its reader is gone',
}

export function unwritable(path: string, error: unknown): UserError {
  const code = errorCode(error) ?? 'unknown'
  return new UserError(`${path} cannot be written: ${reasons[code] ?? code}.`)
}
