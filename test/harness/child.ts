import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'

const cli = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

/** A process of ours under test, with all it said. */
export class Child {
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>
  readonly exited: Promise<number | null>
  stdout = ''
  stderr = ''

  constructor(args: readonly string[], env: Record<string, string>, input = '') {
    this.#process = spawn(process.execPath, args, {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      // Whatever becomes of the test, it does not outlive it for long.
      timeout: 180_000,
      killSignal: 'SIGKILL',
    })
    this.#process.stdout.on('data', (data: Buffer) => {
      this.stdout += data.toString()
    })
    this.#process.stderr.on('data', (data: Buffer) => {
      this.stderr += data.toString()
    })
    this.exited = once(this.#process, 'close').then(([code]) => code as number | null)
    this.#process.stdin.on('error', () => undefined)
    this.#process.stdin.end(input)
  }

  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** Resolves once standard error holds this; rejects if the process ends without. */
  async said(text: string): Promise<void> {
    while (!this.stderr.includes(text)) {
      const more = once(this.#process.stderr, 'data')
      const ended = this.exited.then((code) => {
        throw new Error(`ended (${code}) without saying ${text}: ${this.stderr}`)
      })
      await Promise.race([more, ended])
    }
  }

  /** Asks it to leave, and waits until it has. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#process.kill(signal)
    return this.exited
  }
}

/** `pii-vault …` */
export const startCli = (args: readonly string[], env: Record<string, string>, input?: string): Child =>
  new Child([cli, ...args], env, input)
