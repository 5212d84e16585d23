import { once } from 'node:events'
import type { FileHandle } from 'node:fs/promises'
import { open } from 'node:fs/promises'
import { UserError } from '../shared/errors/user-error.ts'
import { isDevice, PrivateFile, unwritable } from '../shared/files/private-file.ts'

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
  return (await isDevice(path)) ? Device.open(path) : PrivateFile.create(path)
}

/** One that is kept when discarded, and goes on after the first `bytes` of what an earlier run has kept. */
export async function resumeOutput(path: string, bytes: number): Promise<Output> {
  if (path === '-' || (await isDevice(path)))
    throw new UserError(`${path === '-' ? 'Standard output' : path} is no file: what goes there cannot be resumed.`)
  const file = await PrivateFile.resume(path, bytes)
  if (file === undefined)
    throw new UserError(`${path}.partial is shorter than it was left. Remove ${path}.resume to begin anew.`)
  return file
}

class Device implements Output {
  readonly #path: string
  readonly #file: FileHandle

  static async open(path: string): Promise<Device> {
    const file = await open(path, 'w', 0o600).catch((error: unknown) => {
      throw unwritable(path, error)
    })
    return new Device(path, file)
  }

  private constructor(path: string, file: FileHandle) {
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
    if (this.#failure !== undefined) throw unwritable('Standard output', this.#failure)
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
