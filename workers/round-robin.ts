/** The items of one `add` to a coalescer, handed out from the front. */
export interface Source<T, R> {
  readonly items: readonly T[]
  readonly results: R[]
  taken: number
  finished: number
  /** It fits one batch. */
  readonly small: boolean
  readonly resolve: (results: R[]) => void
  readonly reject: (error: unknown) => void
}

export interface Ticket<T, R> {
  readonly source: Source<T, R>
  readonly index: number
}

const left = ({ items, taken }: { readonly items: readonly unknown[]; readonly taken: number }): number =>
  items.length - taken

/**
 * Sources that wait, each served one item in turn, so that an add of 1,000 does not starve an add of one. Those that were
 * served stand behind those that were not; within a source the order is kept.
 */
export class RoundRobin<T, R> {
  /** The next to be served first. */
  #sources: Source<T, R>[] = []
  #waiting = 0
  #waitingSmall = 0

  get waiting(): number {
    return this.#waiting
  }

  /** Items of small sources. */
  get waitingSmall(): number {
    return this.#waitingSmall
  }

  push(source: Source<T, R>): void {
    this.#sources.push(source)
    this.#count(source, source.items.length)
  }

  /** Up to `most` items, of small sources only if `onlySmall`. */
  take(most: number, onlySmall: boolean): Ticket<T, R>[] {
    const passedOver = onlySmall ? this.#sources.filter(({ small }) => !small) : []
    if (onlySmall) this.#sources = this.#sources.filter(({ small }) => small)
    const tickets: Ticket<T, R>[] = []
    while (tickets.length < most && this.#sources.length > 0) {
      for (const source of this.#sources.splice(0, most - tickets.length)) {
        tickets.push({ source, index: source.taken++ })
        this.#count(source, -1)
        if (left(source) > 0) this.#sources.push(source)
      }
    }
    this.#sources.unshift(...passedOver)
    return tickets
  }

  /** What is left of these is not handed out. */
  forget(sources: ReadonlySet<Source<T, R>>): void {
    for (const source of sources) {
      this.#count(source, -left(source))
      source.taken = source.items.length
    }
    this.#sources = this.#sources.filter((source) => !sources.has(source))
  }

  #count({ small }: Source<T, R>, items: number): void {
    this.#waiting += items
    if (small) this.#waitingSmall += items
  }
}
