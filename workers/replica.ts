import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Job } from 'bullmq'
import { DelayedError, WaitingError } from 'bullmq'
import type { WorkerConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { requestId } from '../shared/contract/grammar.ts'
import { ShuttingDown } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { Closing } from '../shared/lifecycle/closing.ts'
import type { Dependency } from '../shared/lifecycle/dependency.ts'
import type { Logger } from '../shared/log/log.ts'
import { connectQueue } from '../shared/queue/connection.ts'
import { openDependencies } from './connect.ts'
import { createDetok } from './detok.ts'
import { IntakeWorker } from './intake.ts'
import type { Pipeline } from './pipeline.ts'
import { createTokenize } from './tokenize.ts'

const pipelines = { detok: createDetok, tokenize: createTokenize }

/** A job whose worker died this often is not run again. */
const maxStalledCount = 5

/** A job that can be neither processed nor given up waits this long, so that it does not spin. */
const tryAgainAfterMs = 5_000

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

/**
 * One replica of one queue's worker pool.
 *
 *   starting ──every server answered──▶ open ◀──▶ closed, while a dependency is down
 *                                         └──close──▶ leaving ──▶ gone
 */
export class Replica {
  readonly queue: QueueName
  readonly name = `${hostname().slice(0, 40)}-${process.pid}-${randomBytes(2).toString('hex')}`
  readonly #options: ReplicaOptions
  readonly #closing = new Closing()
  #worker: IntakeWorker | undefined
  #guards: readonly Dependency[] = []
  #figures: () => ReplicaFigures = () => ({ batches: 0, items: 0, transitCalls: 0 })
  #leaving = false
  #closed: Promise<void> | undefined
  #onDone: () => void = () => undefined

  private constructor(options: ReplicaOptions) {
    this.#options = options
    this.queue = options.queue
  }

  /** What it did so far. */
  get figures(): ReplicaFigures {
    return this.#figures()
  }

  /** Throws UserError where a server is not there: what is missing at the start is more often a mistake than an outage. */
  static async start(options: ReplicaOptions): Promise<Replica> {
    const replica = new Replica(options)
    try {
      await replica.#open()
      return replica
    } catch (error) {
      await replica.#closing.close(5_000, options.log)
      throw error
    }
  }

  async #open(): Promise<void> {
    const { queue, config, log } = this.#options
    const context = { workerName: this.name, log, closing: this.#closing, onIntakeChange: () => this.#setIntake() }
    const { dependencies, guards } = await openDependencies(queue, config, context)
    this.#guards = guards

    const pipeline = pipelines[queue](dependencies)
    this.#figures = () => ({ ...pipeline.batches(), transitCalls: dependencies.transit.transit.calls })
    const connection = connectQueue(config.queue.url, log, 'patient')
    this.#closing.onClose('queue connection', () => connection.disconnect())
    const worker = new IntakeWorker(queue, (job, token) => this.#process(job, token, pipeline), {
      connection,
      prefix: config.queue.prefix,
      autorun: false,
      name: this.name,
      maxStalledCount,
    })
    this.#worker = worker
    // Without Redis there is nobody to wait for, and BullMQ would wait for ever.
    this.#closing.onClose('queue worker', () => worker.close(connection.status !== 'ready'))
    // First to be closed: whoever waits for a server gives its job back.
    this.#closing.onClose('waiting jobs', () => {
      for (const guard of guards) guard.close()
    })
    worker.on('error', (error) => log.debug({ err: error }, 'queue'))
    await worker.waitUntilReady()
    void worker.run()
    log.info({ queue, worker: this.name }, 'replica started')
  }

  async #process(job: Job<unknown>, token: string | undefined, pipeline: Pipeline): Promise<void> {
    try {
      await (this.#worker?.isGivenUp(job) ? pipeline.giveUp(job) : this.#run(job, pipeline))
    } catch (error) {
      if (error instanceof UserError) this.#goneWrong(error)
      else if (!(error instanceof ShuttingDown)) {
        this.#options.log.error(
          { requestId: requestId.safeParse(job.id).data, err: error },
          'a job could not even be given up: it is tried again',
        )
        await job.moveToDelayed(Date.now() + tryAgainAfterMs, token)
        throw new DelayedError()
      }
      // Back to the queue, for another replica.
      await job.moveToWait(token)
      throw new WaitingError()
    } finally {
      this.#worker?.done(job)
      this.#onDone()
    }
  }

  async #run(job: Job<unknown>, pipeline: Pipeline): Promise<void> {
    try {
      await pipeline.process(job)
    } catch (error) {
      if (error instanceof ShuttingDown || error instanceof UserError) throw error
      // A defect of ours. Run again it would most likely fail again, so it is set aside and its requester told.
      this.#options.log.error(
        { requestId: requestId.safeParse(job.id).data, err: error },
        'unexpected error in the pipeline',
      )
      await pipeline.giveUp(job)
    }
  }

  /** Nothing here can go on until a person has mended it. */
  #goneWrong(error: UserError): void {
    if (this.#leaving) return
    this.#leaving = true
    void this.#worker?.pause(true)
    this.#options.onFatal(error)
  }

  #setIntake(): void {
    const worker = this.#worker
    if (worker === undefined || this.#leaving) return
    if (this.#allUp) void worker.resume()
    else void worker.pause(true)
  }

  get #allUp(): boolean {
    return this.#guards.every(({ isUp }) => isUp)
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
    const leaveBy = Date.now() + deadlineMs
    this.#leaving = true
    await this.#worker?.pause(true)
    // In an outage what is in hand cannot be finished, so it is given back at once.
    if (this.#allUp) await this.#drained(deadlineMs * shareForDraining)
    await this.#closing.close(leaveBy - Date.now(), this.#options.log)
    this.#options.log.info({ worker: this.name, jobsLeft: this.#worker?.jobsInHand ?? 0 }, 'replica stopped')
  }

  /** Resolves when no job is in hand, or the time is up. */
  #drained(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs)
      this.#onDone = () => {
        if ((this.#worker?.jobsInHand ?? 0) > 0) return
        clearTimeout(timer)
        resolve()
      }
      this.#onDone()
    })
  }
}
