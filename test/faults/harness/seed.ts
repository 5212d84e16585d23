import { randomInt } from 'node:crypto'

/** What a run picks by chance it picks by this: `FAULT_SEED=… npm run test:faults` does the same again. */
export const seed = Number(process.env['FAULT_SEED'] ?? randomInt(2 ** 31))

/** Numbers from 0 to 1, always the same after the same seed (mulberry32, Tommy Ettinger, public domain). */
export function randomFrom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
