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

/** The items of one `add`, handed out from the front. */
interface Source<T, R> {
  readonly items: readonly T[]
  readonly results: R[]
  taken: number
  finished: number
  readonly resolve: (results: R[]) => void
  readonly reject: (error: unknown) => void
}
interface Ticket<T, R> {
  readonly source: Source<T, R>
  readonly index: number
}

/**
 * Natural batching, as in group commit: when little or nothing is under way, what waits goes at once; under load, batches
 * fill up while earlier ones are processed. A lone item waits for nothing; a partial batch beside many others under way waits
 * for company, for 20 ms at most.
 *
 * Items are taken round-robin over the calls of `add`, one each in turn, so that an add of 1,000 does not starve an add
 * of one. Within an add the order is kept. If a batch fails, every add with an item in it is rejected.
 */
export class Coalescer<T, R> {
  readonly #options: CoalescerOptions<T, R>
  /** As many batches under way as are a light load. */
  readonly #few: number
  /** Sources with items left, the next to be served first. */
  #sources: Source<T, R>[] = []
  #waiting = 0
  readonly #started = { batches: 0, items: 0 }
  #inFlight = 0
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
    return this.#waiting
  }

  /** What was started so far; their quotient is the mean fill. */
  get started(): { readonly batches: number; readonly items: number } {
    return { ...this.#started }
  }

  add(items: readonly T[]): Promise<R[]> {
    if (items.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      this.#sources.push({ items, results: new Array<R>(items.length), taken: 0, finished: 0, resolve, reject })
      this.#waiting += items.length
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

  /** Full batches while there is a free slot; a partial one only under a light load, or if its patience is over. */
  #pump(): void {
    const { batchItems, batchesInFlight } = this.#options
    while (this.#waiting > 0 && this.#inFlight < batchesInFlight) {
      if (this.#waiting < batchItems && this.#inFlight >= this.#few && !this.#patienceIsOver) break
      this.#start()
    }
    if (this.#waiting > 0) this.#patience ??= setTimeout(() => this.#losePatience(), patienceMs)
    else this.#calm()
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
    const tickets = this.#take()
    this.#calm()
    this.#inFlight++
    this.#started.batches++
    this.#started.items += tickets.length
    void this.#process(tickets).finally(() => {
      this.#inFlight--
      this.#schedule()
    })
  }

  #take(): Ticket<T, R>[] {
    const tickets: Ticket<T, R>[] = []
    while (tickets.length < this.#options.batchItems && this.#sources.length > 0) {
      // One round: an item of each source in turn. Sources that were served stand behind those that were not.
      const round = this.#sources.splice(0, this.#options.batchItems - tickets.length)
      for (const source of round) {
        tickets.push({ source, index: source.taken++ })
        if (source.taken < source.items.length) this.#sources.push(source)
      }
    }
    this.#waiting -= tickets.length
    return tickets
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
      this.#forget(new Set(tickets.map(({ source }) => source)))
    }
  }

  /** What is left of a rejected add is not started. */
  #forget(rejected: Set<Source<T, R>>): void {
    for (const source of rejected) {
      if (source.taken < source.items.length) this.#waiting -= source.items.length - source.taken
      source.taken = source.items.length
    }
    this.#sources = this.#sources.filter((source) => !rejected.has(source))
  }
}
