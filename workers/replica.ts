import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { WorkerConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { Closing } from '../shared/lifecycle/closing.ts'
import { within } from '../shared/lifecycle/within.ts'
import type { Logger } from '../shared/log/log.ts'
import { connectQueue } from '../shared/queue/connection.ts'
import { connect } from './connect.ts'
import { serversOf } from './dependencies.ts'
import { createDetok } from './detok.ts'
import { Expiry } from './expiry.ts'
import type { Readiness } from './health.ts'
import { IntakeWorker } from './intake.ts'
import type { Metrics } from './metrics.ts'
import { settle } from './settle.ts'
import type { Timings } from './timings.ts'
import { createTokenize } from './tokenize.ts'

const pipelines = { detok: createDetok, tokenize: createTokenize }

/** A job whose worker died this often is not run again. */
const maxStalledCount = 5

/** Of the deadline for leaving; the rest is for giving back what is left and closing connections. */
const shareForDraining = 0.7

export interface ReplicaOptions {
  readonly queue: QueueName
  readonly config: WorkerConfig
  readonly log: Logger
  /** Called once if the replica cannot go on at all, as with refused credentials. */
  readonly onFatal: (error: unknown) => void
}

export interface ReplicaFigures {
  readonly batches: number
  readonly items: number
  readonly transitCalls: number
}

interface Parts extends ReplicaOptions {
  readonly name: string
  readonly worker: IntakeWorker
  readonly closing: Closing
  /** The servers that are down now. */
  readonly down: () => string[]
  readonly figures: () => ReplicaFigures
  readonly timings: Timings
  readonly metrics: Metrics
}

/**
 * One replica of one queue's worker pool.
 *
 *   starting ──every server answered──▶ open ◀──▶ closed, while a server is down
 *                                         └──close──▶ leaving ──▶ gone
 */
export class Replica {
  readonly #parts: Parts
  #leaving = false
  #closed: Promise<void> | undefined

  /** Throws UserError where a server is not there: what is missing at the start is more often a mistake than an outage. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const closing = new Closing()
    try {
      return await Replica.#open(options, closing)
    } catch (error) {
      await closing.close(5_000, options.log)
      throw error
    }
  }

  static async #open(options: ReplicaOptions, closing: Closing): Promise<Replica> {
    const { queue, config, log } = options
    const name = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(2).toString('hex')}`
    const { dependencies, transitCalls } = await connect(queue, config, { workerName: name, log, closing })
    const servers = serversOf(dependencies)
    const { timings, metrics } = dependencies
    const pipeline = pipelines[queue](dependencies)

    const connection = connectQueue(config.queue.url, log, 'patient')
    closing.onClose('queue connection', () => connection.disconnect())
    const onFatal = (error: unknown) => replica.#abandon(error)
    const worker: IntakeWorker = new IntakeWorker(
      queue,
      (job, token) => settle(job, token, { worker, pipeline, log, onFatal }),
      { connection, prefix: config.queue.prefix, autorun: false, name, maxStalledCount },
    )
    // Without Redis there is nobody to wait for, and BullMQ would wait for ever.
    closing.onClose('queue worker', () => worker.close(connection.status !== 'ready'))
    const expiry = new Expiry(queue, config.timesToLive, dependencies)
    closing.onClose('expiry', () => expiry.close())
    // First to be closed: whoever waits for a server gives its job back.
    closing.onClose('waiting jobs', () => {
      for (const server of servers) server.close()
    })
    const figures = () => ({ ...pipeline.batches(), transitCalls: transitCalls() })
    metrics.show(() => {
      const { itemsInHand, jobsInHand } = worker
      const { batches, items: batchItems, transitCalls } = figures()
      return { dependencies: servers, itemsInHand, jobsInHand, batches, batchItems, transitCalls }
    })
    const replica = new Replica({
      ...options,
      name,
      worker,
      closing,
      down: () => servers.flatMap(({ name, isUp }) => (isUp ? [] : [name])),
      figures,
      timings,
      metrics,
    })
    worker.on('error', (error) => log.debug({ err: error }, 'queue'))
    await worker.waitUntilReady()
    worker.run().catch(onFatal)
    expiry.run().catch(onFatal)
    for (const server of servers) server.onChange(() => replica.#setIntake())
    replica.#setIntake()
    log.info({ queue, worker: name }, 'replica started')
    return replica
  }

  private constructor(parts: Parts) {
    this.#parts = parts
  }

  get queue(): QueueName {
    return this.#parts.queue
  }

  get name(): string {
    return this.#parts.name
  }

  /** What it did so far. */
  get figures(): ReplicaFigures {
    return this.#parts.figures()
  }

  /** How long its stages take, and `job`, from pick-up to the reply. */
  get timings(): Timings {
    return this.#parts.timings
  }

  get metrics(): Metrics {
    return this.#parts.metrics
  }

  get readiness(): Readiness {
    const down = this.#parts.down()
    const state = this.#leaving ? 'leaving' : down.length > 0 ? 'closed' : 'open'
    return { ready: state === 'open', state, down }
  }

  #setIntake(): void {
    const { worker, down } = this.#parts
    if (this.#leaving) return
    if (down().length > 0) void worker.pause(true)
    else if (worker.isPaused()) void worker.resume()
  }

  /** Nothing here can go on until a person has mended it. */
  #abandon(error: unknown): void {
    const { worker, onFatal } = this.#parts
    if (this.#leaving) return
    this.#leaving = true
    void worker.pause(true)
    onFatal(error)
  }

  /**
   * Stops fetching, finishes what is in hand, gives back what cannot be finished, and leaves within the deadline, whatever
   * the servers do. Idempotent.
   */
  close(deadlineMs: number): Promise<void> {
    this.#closed ??= this.#leave(deadlineMs)
    return this.#closed
  }

  async #leave(deadlineMs: number): Promise<void> {
    const { name, worker, closing, down, log } = this.#parts
    const leaveBy = Date.now() + deadlineMs
    this.#leaving = true
    await worker.pause(true)
    // In an outage what is in hand cannot be finished, so it is given back at once.
    if (down().length === 0) await within(deadlineMs * shareForDraining, worker.emptied())
    await closing.close(leaveBy - Date.now(), log)
    log.info({ worker: name, jobsLeft: worker.jobsInHand }, 'replica stopped')
  }
}
