/** From the first request that was taken to the last that was answered. */
export class DrainWatch {
  readonly started: Promise<void>
  /** Seconds between the two. */
  readonly finished: Promise<number>
  readonly #start = Promise.withResolvers<void>()
  readonly #finish = Promise.withResolvers<number>()
  #left: number
  #startedAt: number | undefined

  constructor(requests: number) {
    this.#left = requests
    this.started = this.#start.promise
    this.finished = this.#finish.promise
  }

  taken(): void {
    this.#startedAt ??= performance.now()
    this.#start.resolve()
  }

  answered(requests: number): void {
    this.#left -= requests
    if (this.#left === 0) this.#finish.resolve((performance.now() - (this.#startedAt ?? 0)) / 1_000)
  }

  failed(error: unknown): void {
    this.#start.reject(error)
    this.#finish.reject(error)
  }
}
