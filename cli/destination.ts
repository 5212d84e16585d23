import type { Converted } from '../producers/convert.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { Checkpoint, nothingDone } from './checkpoint.ts'
import { FailureList } from './failure-list.ts'
import type { Output } from './output-file.ts'
import { openOutput, resumeOutput } from './output-file.ts'

export interface Places {
  readonly output: string
  readonly failuresFile: string
  readonly columns: readonly string[]
}

/** Where a conversion goes: its output, and the list of what failed. Each is there whole or not at all. */
export class Destination {
  readonly failures: FailureList
  /** With those of the run that is resumed. */
  rows: number
  items: number
  readonly #output: Output
  readonly #list: Output
  readonly #checkpoint: Checkpoint | undefined
  #state: 'open' | 'closed' = 'open'

  /**
   * Fails with a UserError if one of them cannot be written: better now than later. With `resumeAs` it goes on where an earlier
   * run of that identity stopped, and what is done is kept if this one stops too.
   */
  static async open({ output: path, failuresFile, columns }: Places, resumeAs?: object): Promise<Destination> {
    const checkpoint = resumeAs === undefined ? undefined : await Checkpoint.open(path, resumeAs)
    const done = checkpoint?.done ?? nothingDone
    const open = (file: string, bytes: number) => (checkpoint ? resumeOutput(file, bytes) : openOutput(file))
    let output: Output | undefined
    try {
      output = await open(path, done.outputBytes)
      const list = await open(failuresFile, done.failureBytes).catch((error: unknown) => {
        if (!(error instanceof UserError)) throw error
        throw new UserError(`The list of failures: ${error.message} --failures FILE puts it elsewhere.`)
      })
      return new Destination(output, list, new FailureList(failuresFile, columns, list, done), checkpoint)
    } catch (error) {
      await output?.discard(done.rows > 0 ? 'keep' : undefined)
      if (done.rows > 0) checkpoint?.close()
      else checkpoint?.remove()
      throw error
    }
  }

  private constructor(output: Output, list: Output, failures: FailureList, checkpoint: Checkpoint | undefined) {
    const { rows, items } = checkpoint?.done ?? nothingDone
    this.#output = output
    this.#list = list
    this.failures = failures
    this.#checkpoint = checkpoint
    this.rows = rows
    this.items = items
  }

  async write(piece: Converted): Promise<void> {
    await this.#output.write(piece.bytes)
    await this.failures.add(piece.failures)
    this.rows += piece.rows
    this.items += piece.items
    if (this.#checkpoint?.isDue) await this.#save(this.#checkpoint)
  }

  async commit(): Promise<void> {
    await this.#output.sync()
    this.#checkpoint?.remove() // first: where it is left without its file, a later run could not begin
    await this.#output.commit()
    await this.failures.commit()
    this.#state = 'closed'
  }

  /** Takes away what was written, or keeps it for a run that resumes this one: then true. After `commit` it does nothing. */
  async discard(): Promise<boolean> {
    if (this.#state === 'closed') return false
    this.#state = 'closed'
    const checkpoint = this.rows > 0 ? this.#checkpoint : undefined
    if (checkpoint !== undefined) await this.#save(checkpoint).catch(() => undefined) // then the save before holds
    const keep = checkpoint === undefined ? undefined : 'keep'
    await this.#output.discard(keep)
    await this.#list.discard(keep)
    if (keep === undefined) this.#checkpoint?.remove()
    else checkpoint?.close()
    return keep !== undefined
  }

  async #save(checkpoint: Checkpoint): Promise<void> {
    const [outputBytes, failureBytes] = [await this.#output.sync(), await this.#list.sync()]
    const { brokenRows, byCode } = this.failures
    checkpoint.save({
      rows: this.rows,
      items: this.items,
      outputBytes,
      failureBytes,
      brokenRows,
      failuresByCode: [...byCode],
    })
  }
}
