import { setTimeout as delay } from 'node:timers/promises'
import { ContentRefused, ShuttingDown, Unavailable } from '../errors/server-errors.ts'
import { UserError } from '../errors/user-error.ts'
import type { Logger } from '../log/log.ts'

export interface DependencyOptions {
  readonly name: string
  /** A question with a known good answer. Only if this fails is the server down; a refused batch proves nothing. */
  readonly probe: () => Promise<void>
  readonly log: Logger
  /** Called at each change, so that the intake can close and open. */
  readonly onChange: () => void
}

const triesWhileHealthy = 3
const firstWaitMs = 100
const longestWaitMs = 5_000

/**
 * One server that the pipeline needs.
 *
 *   up ──a call fails, and then the probe──▶ down ──the probe succeeds──▶ up
 *
 * While it is down, whoever needs it waits, one probe at a time asks for it with growing, jittered pauses, and no work
 * is lost or counted as tried. `close` lets the waiting go with ShuttingDown. Where a probe finds that only a person can
 * help (UserError), the waiting get that.
 */
export class Dependency {
  readonly name: string
  readonly #options: DependencyOptions
  readonly #closing = new AbortController()
  #recovery: Promise<void> | undefined
  #checking: Promise<boolean> | undefined

  constructor(options: DependencyOptions) {
    this.name = options.name
    this.#options = options
  }

  get isUp(): boolean {
    return this.#recovery === undefined
  }

  /**
   * Runs `work` while the server is up, and again after each outage. Throws ContentRefused where a healthy server
   * keeps refusing, ShuttingDown after `close`, and whatever else `work` throws as it is.
   */
  async use<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      await this.whenUp()
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        if (!(await this.#isHealthy(error))) tries = 0
        else if (tries >= triesWhileHealthy || error.reason === 'refused our token') {
          throw new ContentRefused(this.name, error.reason)
        }
      }
    }
  }

  async whenUp(): Promise<void> {
    if (this.#closing.signal.aborted) throw new ShuttingDown()
    await this.#recovery
  }

  close(): void {
    this.#closing.abort()
  }

  /** Asks the probe, once for all who doubt at the same time; where it fails, the recovery begins. */
  #isHealthy(doubt: Unavailable): Promise<boolean> {
    if (this.#recovery !== undefined) return Promise.resolve(false)
    this.#checking ??= this.check()
      .then((failure) => {
        if (failure !== undefined && this.#recovery === undefined) this.#goDown(failure, doubt.retryAfterMs)
        return failure === undefined
      })
      .finally(() => {
        this.#checking = undefined
      })
    return this.#checking
  }

  #goDown(failure: Error, retryAfterMs: number | undefined): void {
    const { log, onChange, name } = this.#options
    log.warn({ dependency: name, reason: failure.message }, 'dependency down: intake closed')
    this.#recovery = this.#recover(retryAfterMs).finally(() => {
      this.#recovery = undefined
      onChange()
    })
    // Nobody may be waiting when the process leaves.
    this.#recovery.catch(() => undefined)
    onChange()
  }

  async #recover(retryAfterMs: number | undefined): Promise<void> {
    const since = Date.now()
    const { signal } = this.#closing
    for (let wait = retryAfterMs ?? firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
      await delay(wait * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
      if (signal.aborted) throw new ShuttingDown()
      const failure = await this.check()
      if (failure === undefined) break
      if (failure instanceof UserError) throw failure // waiting would not help
    }
    this.#options.log.info({ dependency: this.name, downMs: Date.now() - since }, 'dependency up: intake open')
  }

  /** Asks the probe once. Its failure, if it fails. */
  readonly check = async (): Promise<Error | undefined> => {
    try {
      await this.#options.probe()
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Unavailable(this.name, 'server error')
    }
  }
}
