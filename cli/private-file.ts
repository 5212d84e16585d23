import type { FileHandle } from 'node:fs/promises'
import { open, rename, rm } from 'node:fs/promises'
import { UserError } from '../shared/errors/user-error.ts'
import type { Output } from './output-file.ts'

/** Written under a temporary name beside its own, for its owner alone: it may hold PII. */
export class PrivateFile implements Output {
  readonly #path: string
  readonly #place: string
  readonly #temporary: string
  readonly #file: FileHandle
  #state: 'open' | 'committed' | 'discarded' = 'open'
  #bytes: number

  constructor(path: string, place: string, temporary: string, file: FileHandle, bytes = 0) {
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

  async sync(): Promise<number> {
    await this.#step(() => this.#file.sync())
    return this.#bytes
  }

  async commit(): Promise<void> {
    await this.#step(async () => {
      await this.#file.sync()
      await this.#file.close()
      await rename(this.#temporary, this.#place)
    })
    this.#state = 'committed'
  }

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

export async function openPrivate(path: string, file: string, flags: string): Promise<FileHandle> {
  return open(file, flags, 0o600).catch((error: unknown) => {
    throw unwritable(path, error)
  })
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
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  return new UserError(`${path} cannot be written: ${reasons[code] ?? code}`)
}
