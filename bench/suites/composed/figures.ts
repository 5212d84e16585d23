import type { Spread } from '../../measure/statistics.ts'
import { spreadOf } from '../../measure/statistics.ts'
import type { RowId } from '../../scorecard.ts'
import type { Figure, SuiteResult } from '../../suite.ts'
import type { Measurements } from './measurements.ts'
import type { OperatingPoint } from './operating-point.ts'
import { cpuOverRaw, ratio, throughputOverRaw } from './ratio.ts'
import type { Measured } from './saturation.ts'
import type { Unloaded } from './unloaded.ts'

/** For the scorecard. Each ratio is of one round, and the figure is the median of the rounds. */
export function figuresOf({ saturated, unloaded, operatingPoint }: Measurements): SuiteResult['figures'] {
  const { detok, tokenize } = saturated
  return {
    ...figure('detok-20-over-raw', throughputOverRaw(detok[20])),
    ...figure('detok-200-over-raw', throughputOverRaw(detok[200])),
    ...figure('tokenize-20-over-raw', throughputOverRaw(tokenize[20])),
    ...figure(
      'detok-1-over-noop',
      ratio(
        detok[1],
        (it) => it.jobsPerS,
        (it) => it.noopJobsPerS,
      ),
    ),
    'batch-fill': fill(detok[20], detok[1]),
    ...figure('cpu-over-raw', cpuOverRaw(detok[20])),
    'unloaded-over-raw': unloadedFigure(unloaded),
    'p99-at-300': p99Figure(operatingPoint),
  }
}

/** None where a part of it could not be seen. */
const figure = (id: RowId, spread: Spread | undefined): SuiteResult['figures'] =>
  spread === undefined ? {} : { [id]: { value: spread.median, spread } }

function fill(twenties: readonly Measured[], ones: readonly Measured[]): Figure {
  const spread = { jobsOf20: spreadOf(twenties.map((it) => it.fill)), jobsOf1: spreadOf(ones.map((it) => it.fill)) }
  return { value: { jobsOf20: spread.jobsOf20.median, jobsOf1: spread.jobsOf1.median }, spread }
}

function unloadedFigure({ composed, raw, blockRatios }: Unloaded): Figure {
  const value = { p50: composed.p50 / raw.p50, p99: composed.p99 / raw.p99 }
  return { value, spread: { p50: spreadOf(blockRatios) } }
}

const quietMs = 10
const timesRaw = 2

function p99Figure({ worker, raw }: OperatingPoint): Figure {
  const note = `raw Transit's p99 under the same load was ${raw.p99.toFixed(1)} ms`
  const noisier = Math.max(quietMs, timesRaw * raw.p99)
  return { value: worker.p99, bound: worker.p99 < quietMs ? quietMs : noisier, note }
}
