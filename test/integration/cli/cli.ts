import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { writeActorCredentials } from '../../../provision/index.ts'
import type { TestActor, TestVault } from '../../harness/vault.ts'

const main = fileURLToPath(new URL('../../../cli/main.ts', import.meta.url))
const cases = fileURLToPath(new URL('../../../../shared/cases', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly ended: Promise<Ended>
  readonly pid: number
  /** Resolves when standard error holds the text; rejects if the command ends without. */
  readonly said: (what: string) => Promise<void>
  readonly kill: (signal: NodeJS.Signals) => void
}

export interface RunOptions {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** What comes on standard input; `open` gives nothing and does not end. */
  readonly input?: string | Buffer | 'open'
}

/** Starts the real command, with no environment but what is given. */
export function start(args: readonly string[], { env = {}, cwd, input = '' }: RunOptions = {}): Running {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', NODE_COMPILE_CACHE: compileCache, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  })
  if (input !== 'open') child.stdin.end(input)
  child.stdin.on('error', () => undefined) // it may end without having read all
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  const ended = Promise.all([once(child, 'close'), text(child.stdout)]).then(([[code], stdout]) => ({
    code: code as number | null,
    stdout,
    stderr: said,
  }))
  return {
    ended,
    pid: child.pid as number,
    said: (what) =>
      new Promise((resolve, reject) => {
        const look = () => said.includes(what) && resolve()
        child.stderr.on('data', look)
        child.on('close', () => reject(new Error(`it ended without ${JSON.stringify(what)}: ${said}`)))
        look()
      }),
    kill: (signal) => child.kill(signal),
  }
}

const compileCache = fileURLToPath(new URL('../../../.cache/compile', import.meta.url))

export const run = (args: readonly string[], options?: RunOptions): Promise<Ended> => start(args, options).ended

/** A directory for one test, and what is in it. */
export class Workplace {
  readonly directory: string

  static async make(): Promise<Workplace> {
    return new Workplace(await mkdtemp(join(tmpdir(), 'pii-vault-cli-')))
  }

  private constructor(directory: string) {
    this.directory = directory
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

  /** One of the case files, copied here so that what is made beside it is ours. */
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

/** The environment in which the command works as this actor on this vault. */
export async function environmentOf(
  vault: TestVault,
  { name, roleId, secretId }: TestActor,
  place: Workplace,
): Promise<Record<string, string>> {
  const file = place.path(`${name}.json`)
  await writeActorCredentials(file, name, { roleId, secretId: secretId.reveal() })
  return {
    QUEUE_URL: vault.stack.queueUrl,
    QUEUE_PREFIX: vault.prefix,
    TRANSIT_ADDR: vault.stack.transitAddr,
    ACTOR_CREDENTIALS_FILE: file,
  }
}

/** A port that was free a moment ago, so that nothing listens there. */
export async function unusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
