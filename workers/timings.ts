import type { RecordableHistogram } from 'node:perf_hooks'
import { createHistogram } from 'node:perf_hooks'

/** How long something took, over all times it was done. Milliseconds. */
export interface Durations {
  readonly count: number
  readonly mean: number
  readonly p50: number
  readonly p95: number
  readonly p99: number
  readonly max: number
}

const nanosecondsPerMs = 1e6

/** How long the stages of a pipeline take, by their names. A stage that failed has taken its time too. */
export class Timings {
  readonly #histograms = new Map<string, RecordableHistogram>()
  readonly #onTimed: (stage: string, milliseconds: number) => void

  constructor(onTimed: (stage: string, milliseconds: number) => void = () => undefined) {
    this.#onTimed = onTimed
  }

  /** The same stage, timed. */
  timed<In extends unknown[], Out>(
    name: string,
    stage: (...input: In) => Promise<Out> | Out,
  ): (...input: In) => Promise<Out> {
    const histogram = createHistogram()
    this.#histograms.set(name, histogram)
    return async (...input) => {
      const started = performance.now()
      try {
        return await stage(...input)
      } finally {
        const milliseconds = performance.now() - started
        histogram.record(Math.max(1, Math.round(milliseconds * nanosecondsPerMs)))
        this.#onTimed(name, milliseconds)
      }
    }
  }

  get durations(): Record<string, Durations> {
    return Object.fromEntries(
      Array.from(this.#histograms).flatMap(([name, it]) => (it.count === 0 ? [] : [[name, durationsOf(it)]])),
    )
  }

  /** Forgets what was so far: the figures of a time that is of no interest, such as a start. */
  reset(): void {
    for (const histogram of this.#histograms.values()) histogram.reset()
  }
}

function durationsOf(histogram: RecordableHistogram): Durations {
  const at = (percentile: number) => histogram.percentile(percentile) / nanosecondsPerMs
  const { count, mean, max } = histogram
  return { count, mean: mean / nanosecondsPerMs, p50: at(50), p95: at(95), p99: at(99), max: max / nanosecondsPerMs }
}
