/**
 * A revision says which of two policies is newer: numbers, joined by `.` or `-` and compared from the left, a missing
 * one being 0; then, optionally, `+` and a label that is not compared, such as a commit.
 * `7` < `8` < `2026-11-30` < `2026-11-30.1` < `2026-12-01+3f2a9c`.
 */
export const revisionGrammar = /^[0-9]{1,15}(?:[.-][0-9]{1,15}){0,5}(?:\+[A-Za-z0-9.-]{1,40})?$/

/** Negative: `left` is older; positive: newer; 0: they have the same place in the order. */
export function compareRevisions(left: string, right: string): number {
  const [lefts, rights] = [numbersOf(left), numbersOf(right)]
  for (let i = 0; i < Math.max(lefts.length, rights.length); i++) {
    const difference = (lefts[i] ?? 0) - (rights[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(revision: string): number[] {
  return revision
    .replace(/\+.*$/, '')
    .split(/[.-]/)
    .map((digits) => Number.parseInt(digits, 10))
}
