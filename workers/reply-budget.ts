import { limits } from '../shared/contract/grammar.ts'

/**
 * What one reply may hold: ciphertexts of 1 MiB together, given out in the order of the items. Batches of a request are
 * looked up side by side, so an item's answer waits until all items before it have said their size.
 */
export class ReplyBudget {
  readonly #waiting = new Map<number, { bytes: number; resolve: (fits: boolean) => void }>()
  #left: number = limits.bodyBytes
  #next = 0

  /** True if the item's value may be in the reply. Every turn from 0 must be taken once, with 0 bytes where there is no value. */
  take(turn: number, bytes: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.#waiting.set(turn, { bytes, resolve })
      for (let item = this.#waiting.get(this.#next); item !== undefined; item = this.#waiting.get(this.#next)) {
        this.#waiting.delete(this.#next++)
        const fits = item.bytes <= this.#left
        // Once one does not fit, none after it does: the cut is at one place, whatever the sizes behind it.
        this.#left = fits ? this.#left - item.bytes : -1
        item.resolve(fits || item.bytes === 0)
      }
    })
  }
}
