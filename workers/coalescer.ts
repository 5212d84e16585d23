import type { Ticket } from './round-robin.ts'
import { RoundRobin } from './round-robin.ts'

export interface CoalescerOptions<T, R> {
  /** The most items that one batch holds. */
  readonly batchItems: number
  /** The most batches under way at once. */
  readonly batchesInFlight: number
  /** Processes a batch; answers one result for each item, in order. */
  readonly run: (batch: T[]) => Promise<R[]>
}

/** A partial batch waits for company at most this long while many others are under way. */
const patienceMs = 20
/** While fewer than this part of the slots is taken, the load is light, and company would be long in coming. */
const lightLoad = 1 / 8

/** Small adds come until none has for this long. */
const smallAddsCeaseMs = 1_000

/**
 * Natural batching, as in group commit: when little or nothing is under way, what waits goes at once; under load, batches
 * fill up while earlier ones are processed. A lone item waits for nothing; a partial batch beside many others under way waits
 * for company, for 20 ms at most.
 *
 * Items are taken round-robin over the calls of `add`, so that an add of 1,000 does not starve an add of one. And while small
 * adds come, bulk (adds that are larger than a batch) is kept to a light load: with every slot taken the servers are at their
 * limit, and a small item waits in each stage for all that is before it. If a batch fails, every add with an item in it is
 * rejected.
 */
export class Coalescer<T, R> {
  readonly #options: CoalescerOptions<T, R>
  /** As many batches under way as are a light load. */
  readonly #few: number
  readonly #sources = new RoundRobin<T, R>()
  readonly #started = { batches: 0, items: 0 }
  #inFlight = 0
  /** Of these, batches with an item of bulk. */
  #bulkInFlight = 0
  #smallUntil = 0
  #scheduled = false
  /** Runs while items wait, from the start of the batch before. */
  #patience: NodeJS.Timeout | undefined
  #patienceIsOver = false

  constructor(options: CoalescerOptions<T, R>) {
    this.#options = options
    this.#few = Math.max(1, options.batchesInFlight * lightLoad)
  }

  /** Items that are in no batch yet. */
  get waiting(): number {
    return this.#sources.waiting
  }

  /** What was started so far; their quotient is the mean fill. */
  get started(): { readonly batches: number; readonly items: number } {
    return { ...this.#started }
  }

  add(items: readonly T[]): Promise<R[]> {
    if (items.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const small = items.length <= this.#options.batchItems
      if (small) this.#smallUntil = performance.now() + smallAddsCeaseMs
      this.#sources.push({ items, results: new Array<R>(items.length), taken: 0, finished: 0, small, resolve, reject })
      this.#schedule()
    })
  }

  /** After the current turn of the event loop, so that adds of one turn share a batch. */
  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#pump()
    })
  }

  #pump(): void {
    while (this.#mayStart()) this.#start()
    if (this.waiting > 0) this.#patience ??= setTimeout(() => this.#losePatience(), patienceMs)
    else this.#calm()
  }

  /** Full batches while there is a free slot; a partial one only under a light load, or if its patience is over. */
  #mayStart(): boolean {
    const { batchItems, batchesInFlight } = this.#options
    const held = this.#bulkIsHeld
    const waiting = held ? this.#sources.waitingSmall : this.#sources.waiting
    if (waiting === 0 || this.#inFlight >= batchesInFlight) return false
    const underWay = held ? this.#inFlight - this.#bulkInFlight : this.#inFlight
    return waiting >= batchItems || underWay < this.#few || this.#patienceIsOver
  }

  get #bulkIsHeld(): boolean {
    return this.#bulkInFlight >= this.#few && performance.now() < this.#smallUntil
  }

  #losePatience(): void {
    this.#patienceIsOver = true
    this.#pump()
  }

  #calm(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
    this.#patienceIsOver = false
  }

  #start(): void {
    const tickets = this.#sources.take(this.#options.batchItems, this.#bulkIsHeld)
    const bulk = tickets.some(({ source }) => !source.small) ? 1 : 0
    this.#calm()
    this.#inFlight++
    this.#bulkInFlight += bulk
    this.#started.batches++
    this.#started.items += tickets.length
    void this.#process(tickets).finally(() => {
      this.#inFlight--
      this.#bulkInFlight -= bulk
      this.#schedule()
    })
  }

  async #process(tickets: Ticket<T, R>[]): Promise<void> {
    try {
      const results = await this.#options.run(tickets.map(({ source, index }) => source.items[index] as T))
      if (results.length !== tickets.length) throw new Error('a batch came back with another number of items')
      tickets.forEach(({ source, index }, i) => {
        source.results[index] = results[i] as R
        if (++source.finished === source.items.length) source.resolve(source.results)
      })
    } catch (error) {
      for (const { source } of tickets) source.reject(error)
      this.#sources.forget(new Set(tickets.map(({ source }) => source)))
    }
  }
}
