import { createHash } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { UserError } from '../shared/errors/user-error.ts'

/** What of a file is converted, and safely on the disk. */
const doneSchema = z.object({
  rows: z.int(),
  items: z.int(),
  outputBytes: z.int(),
  failureBytes: z.int(),
  brokenRows: z.int(),
  failuresByCode: z.array(z.tuple([z.string(), z.int()])),
})
export type Done = z.infer<typeof doneSchema>

export const nothingDone: Done = {
  rows: 0,
  items: 0,
  outputBytes: 0,
  failureBytes: 0,
  brokenRows: 0,
  failuresByCode: [],
}

const stateSchema = z.object({ identity: z.string(), done: doneSchema })
const sqliteBusy = 5
const saveEveryMs = 1_000

/**
 * How far a run with `--resume` has come, beside its output as `<output>.resume`: an SQLite database, so that each save is
 * whole or not there, and no second run can work on the same output until this process has ended, however it ends.
 */
export class Checkpoint {
  readonly done: Done
  readonly #path: string
  readonly #identity: string
  readonly #database: DatabaseSync
  #savedAt = Date.now()

  /** `identity`: whatever must be the same for the rest to fit what is done. */
  static async open(output: string, identity: object): Promise<Checkpoint> {
    const path = `${await realpath(output).catch(() => output)}.resume`
    let database: DatabaseSync | undefined
    try {
      closeSync(openSync(path, 'a', 0o600))
      database = new DatabaseSync(path)
      database.exec(
        'pragma locking_mode = exclusive; create table if not exists state (json text); begin exclusive; commit',
      )
      const hash = createHash('sha256').update(JSON.stringify(identity)).digest('hex')
      return new Checkpoint(path, hash, database)
    } catch (error) {
      database?.close()
      if (error instanceof UserError) throw error
      const busy = error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy
      throw new UserError(busy ? `${path} is in use by another run.` : `${path} cannot be written, or is no such file.`)
    }
  }

  private constructor(path: string, identity: string, database: DatabaseSync) {
    this.#path = path
    this.#identity = identity
    this.#database = database
    const json = database.prepare('select json from state').get()?.['json']
    const state = typeof json === 'string' ? stateSchema.parse(JSON.parse(json)) : undefined
    if (state !== undefined && state.identity !== identity)
      throw new UserError(
        `${path} was left by a run on another file, or with other options. Give the same ones, or remove it to begin anew.`,
      )
    this.done = state?.done ?? nothingDone
  }

  get isDue(): boolean {
    return Date.now() - this.#savedAt >= saveEveryMs
  }

  /** To be called when all of it is on the disk. */
  save(done: Done): void {
    this.#savedAt = Date.now()
    this.#database.exec('begin; delete from state')
    const json = JSON.stringify({ identity: this.#identity, done })
    this.#database.prepare('insert into state (json) values (?)').run(json)
    this.#database.exec('commit')
  }

  close(): void {
    this.#database.close()
  }

  remove(): void {
    this.close()
    for (const path of [this.#path, `${this.#path}-journal`]) rmSync(path, { force: true })
  }
}
