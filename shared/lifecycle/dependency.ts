import { setTimeout as delay } from 'node:timers/promises'
import type { DependencyName, UnavailableReason } from '../errors/server-errors.ts'
import { ContentRefused, ContentSuspected, ShuttingDown, Unavailable } from '../errors/server-errors.ts'
import { UserError } from '../errors/user-error.ts'
import type { Logger } from '../log/log.ts'

export interface DependencyOptions<Server> {
  readonly name: DependencyName
  readonly server: Server
  /** A question with a known good answer. Only if this fails is the server down; a refused batch proves nothing. */
  readonly probe: (server: Server) => Promise<void>
  readonly log: Logger
}

const triesWhileHealthy = 3
const firstWaitMs = 100
const longestWaitMs = 5_000
const longer = (waitMs: number): number => Math.min(waitMs * 2, longestWaitMs)

/** What no content is to blame for, even if the probe was luckier: it met another node, or no lock. */
const blameless: ReadonlySet<UnavailableReason> = new Set([
  'timeout',
  'throttled',
  'sealed or standby',
  'read-only',
  'out of resources',
])

/**
 * One server that the pipeline needs.
 *
 *   up ──a call fails, and then the probe──▶ down ──the probe succeeds──▶ up
 *
 * While it is down, whoever needs it waits, one probe at a time asks for it with growing, jittered pauses, and no work
 * is lost or counted as tried. `close` lets the waiting go with ShuttingDown. Where a probe finds that only a person can
 * help (UserError), the waiting get that.
 */
export class Dependency<Server> {
  readonly name: DependencyName
  readonly #options: DependencyOptions<Server>
  readonly #listeners: (() => void)[] = []
  readonly #closing = new AbortController()
  #recovery: Promise<void> | undefined
  #checking: Promise<boolean> | undefined

  constructor(options: DependencyOptions<Server>) {
    this.name = options.name
    this.#options = options
  }

  get isUp(): boolean {
    return this.#recovery === undefined
  }

  /** Called at each change between up and down, so that the intake can close and open. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /**
   * Runs `work` while the server is up, and again after each outage. Throws ContentSuspected where a healthy server
   * keeps failing, ShuttingDown after `close`, and whatever else `work` throws as it is.
   */
  async use<T>(work: (server: Server) => Promise<T>): Promise<T> {
    let refusals = 0
    for (let wait = firstWaitMs; ; wait = longer(wait)) {
      await this.whenUp()
      try {
        return await work(this.#options.server)
      } catch (error) {
        // A server may blame the content for what it lacks itself: OpenBao answers 400 where there is no such key.
        if (error instanceof ContentRefused && !(await this.#unlessClosed(this.#isHealthy(error)))) continue
        if (!(error instanceof Unavailable)) throw error
        if (!(await this.#unlessClosed(this.#isHealthy(error)))) refusals = 0
        else if (!blameless.has(error.reason)) refusals++
        if (refusals >= triesWhileHealthy || (refusals > 0 && error.reason === 'refused our token')) {
          throw new ContentSuspected(this.name, error.reason)
        }
        if (this.isUp) await this.#pause(wait, error)
      }
    }
  }

  async whenUp(): Promise<void> {
    if (this.#closing.signal.aborted) throw new ShuttingDown()
    if (this.#recovery !== undefined) await this.#unlessClosed(this.#recovery)
  }

  close(): void {
    this.#closing.abort()
  }

  /** Asks the probe, once for all who doubt at the same time; where it fails, the recovery begins. */
  #isHealthy(doubt: Error): Promise<boolean> {
    if (this.#recovery !== undefined) return Promise.resolve(false)
    this.#checking ??= this.check()
      .then((failure) => {
        if (failure !== undefined) this.#goDown(failure, doubt)
        return failure === undefined
      })
      .finally(() => {
        this.#checking = undefined
      })
    return this.#checking
  }

  #goDown(failure: Error, doubt: Error): void {
    const { log, name } = this.#options
    log.warn({ dependency: name, reason: failure.message }, 'dependency down: intake closed')
    this.#recovery = this.#recover(doubt).finally(() => {
      this.#recovery = undefined
      this.#tell()
    })
    // Nobody may be waiting when the process leaves.
    this.#recovery.catch(() => undefined)
    this.#tell()
  }

  async #recover(doubt: Error): Promise<void> {
    const since = Date.now()
    let failure: Error | undefined = doubt
    for (let wait = firstWaitMs; failure !== undefined; wait = longer(wait)) {
      await this.#pause(wait, failure)
      if (this.#closing.signal.aborted) throw new ShuttingDown()
      failure = await this.check()
      if (failure instanceof UserError) throw failure // waiting would not help
    }
    this.#options.log.info({ dependency: this.name, downMs: Date.now() - since }, 'dependency up: intake open')
  }

  /** Jittered, so that replicas do not come back as one; never shorter than `Retry-After` asks. Ends early on `close`. */
  #pause(waitMs: number, failure: Error): Promise<void> {
    const asked = failure instanceof Unavailable ? (failure.retryAfterMs ?? 0) : 0
    const { signal } = this.#closing
    return delay(asked + waitMs * (0.5 + Math.random() / 2), undefined, { signal }).catch(() => undefined)
  }

  /** What is waited for, or ShuttingDown as soon as `close` is called: a probe of a silent server takes its time. */
  #unlessClosed<T>(waitedFor: Promise<T>): Promise<T> {
    const { signal } = this.#closing
    return new Promise((resolve, reject) => {
      const leave = () => reject(new ShuttingDown())
      if (signal.aborted) leave()
      signal.addEventListener('abort', leave)
      void waitedFor.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
    })
  }

  /** Asks the probe once. Its failure, if it fails. */
  async check(): Promise<Error | undefined> {
    const { probe, server } = this.#options
    try {
      await probe(server)
      return undefined
    } catch (error) {
      return error instanceof Error ? error : new Unavailable(this.name, 'server error')
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}
