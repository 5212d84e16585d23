import { median } from '../../measure/statistics.ts'
import type { Measured } from './saturation.ts'

/** A stage's part in the time from a job's pick-up to its reply. */
export interface StageShare {
  readonly stage: string
  readonly meanMs: number
  readonly share: number
}

/** Of waiting for a batch, and for the other batches of a job that fills several. */
export const gather = 'gather'

/**
 * The mean time of each stage, of the rounds' median. A job waits while its batch is in a stage, so the stages' means and the
 * waiting between them add up to the job's.
 */
export function stagesOf(rounds: readonly Measured[]): StageShare[] {
  const names = Object.keys(rounds[0]?.durations ?? {}).filter((name) => name !== 'job')
  const meanOf = (name: string) => median(rounds.map(({ durations }) => durations[name]?.mean ?? 0))
  const jobMs = meanOf('job')
  const stages = names.map((stage) => ({ stage, meanMs: meanOf(stage) }))
  const waiting = { stage: gather, meanMs: Math.max(0, jobMs - stages.reduce((sum, { meanMs }) => sum + meanMs, 0)) }
  const inOrder = [...stages.slice(0, 1), waiting, ...stages.slice(1)]
  return inOrder.map((one) => ({ ...one, share: one.meanMs / jobMs }))
}
