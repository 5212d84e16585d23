import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import type { Bench } from '../bench.ts'
import type { Child } from '../processes/ipc.ts'
import type { NoopWorkerHandlers } from '../processes/noop-worker.ts'
import { fastestOf } from './fastest.ts'

const program = new URL('../processes/noop-worker.ts', import.meta.url)
const queueName = 'noop'
const jobsAtOnce = 1_000
const triedConcurrencies = [16, 64, 256, 1_024]

/** BullMQ jobs that nothing is done with, of the size of a sealed request of one item: the queue's ceiling for jobs of one. */
export class NoopQueue {
  readonly #bench: Bench
  readonly #child: Child<NoopWorkerHandlers>
  /** As good as it got of those tried. */
  concurrency = 0

  static async start(bench: Bench, jobs: number): Promise<NoopQueue> {
    const { stack, prefix } = bench.vault
    const env = { QUEUE_URL: stack.queueUrl, QUEUE_PREFIX: prefix, BENCH_QUEUE: queueName }
    const noop = new NoopQueue(bench, await bench.child<NoopWorkerHandlers>(program, env))
    await noop.#chooseConcurrency(jobs)
    return noop
  }

  private constructor(bench: Bench, child: Child<NoopWorkerHandlers>) {
    this.#bench = bench
    this.#child = child
  }

  /** Jobs a second, from a backlog. */
  async measure(jobs: number): Promise<number> {
    const queue = this.#bench.vault.queue(queueName)
    await queue.pause()
    const data = await this.#data()
    for (let made = 0; made < jobs; made += jobsAtOnce) {
      const some = Array.from({ length: Math.min(jobsAtOnce, jobs - made) }, () => {
        const id = uuidv7()
        return { name: queueName, data: { ...data, id }, opts: { jobId: id, removeOnComplete: true } }
      })
      await queue.addBulk(some)
    }
    const completed = this.#child.ask('complete', jobs)
    const started = performance.now()
    await queue.resume()
    await completed
    return jobs / ((performance.now() - started) / 1_000)
  }

  async #chooseConcurrency(jobs: number): Promise<void> {
    await this.measure(jobs) // a start is not to be compared with anything
    this.concurrency = await fastestOf(triedConcurrencies, async (concurrency) => {
      await this.#child.ask('setConcurrency', concurrency)
      return this.measure(jobs)
    })
    await this.#child.ask('setConcurrency', this.concurrency)
  }

  /** A real request's envelope. */
  async #data(): Promise<object> {
    const token = `tok_${randomBytes(13).toString('hex')}`
    const { envelope } = await this.#bench.producer.request('detok', { purpose: 'bench', items: [{ token }] })
    return envelope
  }
}
