import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const cases = fileURLToPath(new URL('../../cases', import.meta.url))

/** A directory, and what is in it. */
export class Workplace {
  directory = ''

  static async make(): Promise<Workplace> {
    const place = new Workplace()
    await place.renew()
    return place
  }

  /** From here on it is another one, and empty. */
  async renew(): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'pii-vault-cli-'))
  }

  readonly path = (name: string): string => join(this.directory, name)
  readonly read = (name: string): Buffer => readFileSync(this.path(name))
  readonly text = (name: string): string => this.read(name).toString()
  readonly mode = (name: string): number => statSync(this.path(name)).mode & 0o777
  readonly has = (name: string): boolean => existsSync(this.path(name))
  readonly files = (): string[] => this.filesIn('.')
  readonly filesIn = (name: string): string[] => (this.has(name) ? readdirSync(this.path(name)).sort() : [])

  write(name: string, content: string | Buffer): string {
    writeFileSync(this.path(name), content)
    return this.path(name)
  }

  /** One of the files in test/cases, copied here so that what is made beside it is ours. */
  case(name: string): string {
    return this.write(name, readFileSync(join(cases, name)))
  }

  /** The list of failures, line by line. */
  failures(name: string): unknown[] {
    return this.text(`${name}.failed.ndjson`)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true })
  }
}
