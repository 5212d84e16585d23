import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { program, programEnvironment, programFlags } from './program.ts'

const compileCache = fileURLToPath(new URL('../../.cache/compile', import.meta.url))

export interface ChildOptions {
  /** All of its environment, but for what Node itself needs. */
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** What comes on standard input; `open` gives nothing and does not end. */
  readonly input?: string | Buffer | 'open'
  /** Whatever becomes of the test, it does not outlive it for long. */
  readonly lifetimeMs?: number
}

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A process of ours under test, with all it said. */
export class Child {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>
  /** Its exit code; null where a signal ended it. */
  readonly exited: Promise<number | null>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], { env = {}, cwd, input = '', lifetimeMs = 180_000 }: ChildOptions = {}) {
    const { PATH = '', HOME = '' } = process.env
    this.#process = spawn(process.execPath, args, {
      env: { PATH, HOME, NODE_COMPILE_CACHE: compileCache, ...env },
      ...(cwd === undefined ? {} : { cwd }),
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: lifetimeMs,
      killSignal: 'SIGKILL',
    })
    this.#process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
    })
    this.#process.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text
    })
    this.exited = once(this.#process, 'close').then(([code]) => code as number | null)
    this.#process.stdin.on('error', () => undefined) // it may end without having read all
    if (input !== 'open') this.#process.stdin.end(input)
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null || this.#process.signalCode !== null
  }

  get pid(): number {
    return this.#process.pid as number
  }

  get ended(): Promise<Ended> {
    return this.exited.then((code) => ({ code, stdout: this.stdout, stderr: this.stderr }))
  }

  /** Resolves once standard error holds this; rejects if the process ends without. */
  async said(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      const more = once(this.#process.stderr, 'data').then(() => true)
      const alive = await Promise.race([more, this.exited.then(() => false)])
      if (alive || this.stderr.includes(text)) continue
      throw new Error(`it ended (${await this.exited}) without saying ${JSON.stringify(text)}: ${this.stderr}`)
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal)
  }

  /** Asks it to leave, and waits until it has. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.kill(signal)
    return this.exited
  }
}

/** `pii-vault …`, the real command. */
export const startCli = (args: readonly string[], options?: ChildOptions): Child =>
  new Child([...programFlags, program, ...args], { ...options, env: { ...programEnvironment, ...options?.env } })

/** The same, to its end. */
export const runCli = (args: readonly string[], options?: ChildOptions): Promise<Ended> => startCli(args, options).ended
