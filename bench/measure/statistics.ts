/** What several measurements of one figure came to. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly count: number
}

/** Of one figure measured several times. An even number of them has the mean of the two in the middle. */
export function spreadOf(samples: readonly number[]): Spread {
  const sorted = inOrder(samples)
  const [low, high] = [Math.floor((sorted.length - 1) / 2), Math.ceil((sorted.length - 1) / 2)]
  return {
    median: (at(sorted, low) + at(sorted, high)) / 2,
    min: at(sorted, 0),
    max: at(sorted, -1),
    count: sorted.length,
  }
}

/** The same of a figure of each of several results; undefined where one of them lacks it. */
export function spreadOver<T>(results: readonly T[], figure: (result: T) => number | undefined): Spread | undefined {
  const samples = results.map(figure).filter((sample) => sample !== undefined)
  return samples.length === results.length && samples.length > 0 ? spreadOf(samples) : undefined
}

export const median = (samples: readonly number[]): number => spreadOf(samples).median

/**
 * The least sample that at least this share of all samples does not exceed (nearest rank). It is a value that was seen, never
 * one in between. `share` is above 0 and at most 1.
 */
export function percentile(samples: readonly number[], share: number): number {
  return percentileOf(inOrder(samples), share)
}

export interface Latency {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

/** Of single calls, in the unit they came in. */
export function latencyOf(samples: readonly number[]): Latency {
  const sorted = inOrder(samples)
  const of = (share: number) => percentileOf(sorted, share)
  return { count: sorted.length, p50: of(0.5), p95: of(0.95), p99: of(0.99), max: at(sorted, -1) }
}

function percentileOf(sorted: Float64Array, share: number): number {
  if (!(share > 0 && share <= 1)) throw new RangeError(`a share of samples is above 0 and at most 1, not ${share}`)
  // 0.07 * 100 is a little more than 7: a rank that is whole but for rounding is that whole rank.
  const rank = Math.ceil(share * sorted.length * (1 - Number.EPSILON * 2))
  return at(sorted, rank - 1)
}

/** A copy, sorted as numbers. */
function inOrder(samples: readonly number[]): Float64Array {
  if (samples.length === 0) throw new RangeError('nothing was measured')
  if (samples.some((sample) => !Number.isFinite(sample))) throw new RangeError('a sample is no finite number')
  return Float64Array.from(samples).sort()
}

const at = (sorted: Float64Array, index: number): number => sorted.at(index) as number
