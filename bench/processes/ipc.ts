import type { ChildProcess } from 'node:child_process'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { z } from 'zod'
import { programEnvironment, programFlags } from '../../test/harness/program.ts'

/** What a child process does when it is asked, by name. Argument and result cross by structured clone. */
// biome-ignore lint/suspicious/noExplicitAny: a handler takes what its own signature says, and `ask` checks against that.
export type Handlers = Record<string, (argument: any) => unknown>

type Argument<H extends Handlers, N extends keyof H> = Parameters<H[N]>[0]
type Result<H extends Handlers, N extends keyof H> = Awaited<ReturnType<H[N]>>

const question = z.object({ id: z.int(), name: z.string(), argument: z.unknown().optional() })
const answer = z.object({ id: z.int(), result: z.unknown().optional(), error: z.string().optional() })

const startWithinMs = 30_000
const endWithinMs = 10_000
/** Of a child's standard error, kept for the case that it dies. */
const keptCharacters = 2_000

/** The child's side: answers until the parent says that it is over, then closes what it opened and ends. */
export function serve(handlers: Handlers, close: () => Promise<unknown> = () => Promise.resolve()): void {
  const answerTo = async (message: unknown): Promise<void> => {
    const { id, name, argument } = question.parse(message)
    try {
      const handler = handlers[name]
      if (handler === undefined) throw new Error(`nothing is called ${name} here`)
      process.send?.({ id, result: await handler(argument) })
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  }
  process.on('message', (message) => void answerTo(message))
  process.once('disconnect', () => void close().finally(() => process.exit()))
  // Ctrl-C reaches all processes of a terminal; the parent ends this one when its turn comes.
  process.on('SIGINT', () => undefined)
  process.send?.({ id: 0 })
}

/** A program of ours in a process of its own, so that its CPU and memory can be told from everybody else's. */
export class Child<H extends Handlers> {
  readonly #process: ChildProcess
  readonly #waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  readonly #exited: Promise<unknown>
  #stderr = ''
  #lastId = 0

  /** `program` calls `serve` once it is ready. */
  static async start<H extends Handlers>(program: URL, env: Record<string, string>): Promise<Child<H>> {
    const child = new Child<H>(program, env)
    try {
      await child.#answerTo(0, startWithinMs)
      return child
    } catch (error) {
      await child.stop()
      throw error
    }
  }

  private constructor(program: URL, env: Record<string, string>) {
    const { PATH = '', HOME = '', NODE_OPTIONS = '' } = process.env
    this.#process = fork(program, {
      execArgv: [...programFlags],
      // As `pii-vault` is run: what is measured has the heap that it has.
      env: { PATH, HOME, NODE_OPTIONS, ...programEnvironment, ...env },
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#exited = once(this.#process, 'exit')
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-keptCharacters)
    })
    this.#process.on('message', (message) => this.#settle(answer.parse(message)))
    // Its standard error has ended by then.
    this.#process.once('close', (code, signal) => this.#died(`ended (${signal ?? code}): ${this.#stderr.trim()}`))
    this.#process.once('error', (error) => this.#died(error.message))
  }

  get pid(): number | undefined {
    return this.#process.pid
  }

  /** Rejects if the handler throws, or the process ends meanwhile. */
  async ask<N extends keyof H & string>(name: N, argument?: Argument<H, N>): Promise<Result<H, N>> {
    const id = ++this.#lastId
    const answered = this.#answerTo(id)
    if (this.#process.connected) this.#process.send({ id, name, argument }, () => undefined)
    else this.#died(`ended before it was asked: ${this.#stderr.trim()}`)
    // It is our own program, and `H` is the type of its handlers.
    return (await answered) as Result<H, N>
  }

  /** Lets it close what it opened, and kills it if that takes too long. */
  async stop(): Promise<void> {
    if (this.#process.connected) this.#process.disconnect()
    const kill = setTimeout(() => this.#process.kill('SIGKILL'), endWithinMs)
    await this.#exited.catch(() => undefined)
    clearTimeout(kill)
  }

  async #answerTo(id: number, withinMs?: number): Promise<unknown> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#waiting.set(id, { resolve, reject })
    if (withinMs === undefined) return promise
    const late = setTimeout(() => this.#settle({ id, error: `no answer within ${withinMs} ms` }), withinMs)
    return promise.finally(() => clearTimeout(late))
  }

  #settle({ id, result, error }: z.infer<typeof answer>): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    if (error === undefined) waiting?.resolve(result)
    else waiting?.reject(new Error(error))
  }

  #died(how: string): void {
    for (const id of this.#waiting.keys()) this.#settle({ id, error: `a child process ${how}` })
  }
}
