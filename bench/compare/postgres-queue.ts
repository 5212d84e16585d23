import type { Bench } from '../bench.ts'
import { watchCpu } from '../measure/usage.ts'
import type { Child } from '../processes/ipc.ts'
import type { TakenRequest } from './handler.ts'
import type { Drained, RequestQueue } from './request-queue.ts'

/** A program that answers requests from a job queue in Postgres. */
export type PostgresQueueHandlers<Setting> = {
  fill: (requests: readonly TakenRequest[]) => Promise<void>
  /** Resolves when it has taken the first of so many requests. */
  start: (argument: { readonly setting: Setting; readonly requests: number }) => Promise<void>
  /** Seconds from the first request taken to the last reply put on its queue. */
  finished: () => Promise<number>
  stop: () => Promise<void>
  /** Takes the replies off their queue. */
  replies: () => Promise<unknown[]>
}

const requestsAtOnce = 500

/** A job queue in a schema of its own, in the database that holds the records. */
export class PostgresQueue<Setting> {
  readonly #bench: Bench
  readonly #schema: string
  readonly #child: Child<PostgresQueueHandlers<Setting>>

  static async start<Setting>(bench: Bench, program: URL, schema: string): Promise<PostgresQueue<Setting>> {
    const env = {
      ...bench.vault.environment('detok'),
      BENCH_QUEUE_DATABASE_URL: bench.vault.stack.databaseUrl,
      BENCH_SCHEMA: schema,
    }
    const child = await bench.child<PostgresQueueHandlers<Setting>>(program, env)
    const queue = new PostgresQueue(bench, schema, child)
    bench.vault.onClose(() => queue.remove()) // for a run that is cut short
    return queue
  }

  private constructor(bench: Bench, schema: string, child: Child<PostgresQueueHandlers<Setting>>) {
    this.#bench = bench
    this.#schema = schema
    this.#child = child
  }

  /** The queue, drained by a worker that is set like this. */
  at(setting: Setting): RequestQueue {
    let requests = 0
    return {
      fill: async (some) => {
        requests = some.length
        await this.#fill(some)
      },
      drain: () => this.#drain(setting, requests),
      replies: () => this.#child.ask('replies'),
    }
  }

  async #fill(requests: readonly TakenRequest[]): Promise<void> {
    for (let at = 0; at < requests.length; at += requestsAtOnce)
      await this.#child.ask('fill', requests.slice(at, at + requestsAtOnce))
    // As autovacuum would in time: the planner knows of the backlog.
    await this.#bench.vault.postgres.query('analyze')
  }

  async #drain(setting: Setting, requests: number): Promise<Drained> {
    await this.#child.ask('start', { setting, requests })
    const cpu = watchCpu({ worker: this.#child.pid, ...this.#bench.servers })
    const seconds = await this.#child.ask('finished')
    const taken = cpu.taken()
    await this.#child.ask('stop')
    return { seconds, cpu: taken }
  }

  /** Ends the program and leaves nothing in the database. */
  async remove(): Promise<void> {
    await this.#child.stop()
    await this.#bench.vault.postgres.query(`drop schema if exists ${this.#schema} cascade`)
  }
}
