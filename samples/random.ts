/**
 * Repeatable random choices. The generator is sfc32 by Chris Doty-Humphrey, from his PractRand suite (public domain,
 * https://pracrand.sourceforge.net/), seeded as there: the seed in b and c, a counter from 1, fifteen rounds thrown
 * away. It works on 32-bit integers only, so a seed gives the same choices on every machine. Never for secrets.
 */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(choices: readonly T[]): T
  /** Random digits for each `#` and capital letters for each `@`; the rest as it is. */
  fill(pattern: string): string
}

export function createRandom(seed: number): Random {
  const next = sfc32(seed)
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick<T>(choices: readonly T[]): T {
      if (choices.length === 0) throw new RangeError('Nothing to pick from')
      return choices[between(0, choices.length - 1)] as T
    },
    fill(pattern) {
      let filled = ''
      for (const symbol of pattern) {
        if (symbol === '#') filled += between(0, 9)
        else filled += symbol === '@' ? String.fromCharCode(65 + between(0, 25)) : symbol
      }
      return filled
    },
  }
}

/** The seed is a safe integer: its low 32 bits go in one word and the others in the next. */
function sfc32(seed: number): () => number {
  let [a, b, c, counter] = [0, seed | 0, Math.floor(seed / 2 ** 32) | 0, 1]
  const next = () => {
    const out = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + out) | 0
    return (out >>> 0) / 2 ** 32
  }
  for (let round = 0; round < 15; round++) next()
  return next
}
