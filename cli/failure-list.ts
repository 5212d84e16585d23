import { lstat, rm } from 'node:fs/promises'
import type { ConversionFailure } from '../producers/convert.ts'
import type { Output } from './output-file.ts'

/** The list of what failed, one JSON object a line: where and why, never a value. The file is there only if something failed. */
export class FailureList {
  /** Items, and rows that cannot be read as one. */
  readonly byCode: Map<string, number>
  readonly #path: string
  readonly #columns: readonly string[]
  readonly #file: Output
  brokenRows: number

  constructor(
    path: string,
    columns: readonly string[],
    file: Output,
    before: { failuresByCode: readonly (readonly [string, number])[]; brokenRows: number },
  ) {
    this.#path = path
    this.#columns = columns
    this.#file = file
    this.byCode = new Map(before.failuresByCode)
    this.brokenRows = before.brokenRows
  }

  get total(): number {
    return [...this.byCode.values()].reduce((sum, times) => sum + times, 0)
  }

  async add(failures: readonly ConversionFailure[]): Promise<void> {
    if (failures.length === 0) return
    const lines = failures.map(({ row, line, column, code }) => {
      this.byCode.set(code, (this.byCode.get(code) ?? 0) + 1)
      if (column === undefined) this.brokenRows++
      return `${JSON.stringify({ row, line, column: column === undefined ? null : this.#columns[column], code })}\n`
    })
    await this.#file.write(Buffer.from(lines.join('')))
  }

  /** Puts the list in its place; where nothing failed, one of an earlier run is taken away. */
  async commit(): Promise<void> {
    if (this.byCode.size > 0) return this.#file.commit()
    await this.#file.discard()
    const earlier = await lstat(this.#path).catch(() => undefined)
    if (earlier?.isFile()) await rm(this.#path, { force: true })
  }
}
