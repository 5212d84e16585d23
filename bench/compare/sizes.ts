import type { Bench } from '../bench.ts'

export interface Sizes {
  readonly rounds: number
  readonly rawSeconds: number
  readonly noops: number
  /** Items of a backlog; a setting is tried on half of it. */
  readonly ours: number
  readonly ourSingles: number
  readonly obvious: number
  /** On the queues in Postgres, of those that handle each job by itself, and of whole batches. */
  readonly each: number
  readonly whole: number
  readonly warmUp: number
}

/** Backlogs that take a few seconds each. */
export const sizesOf = ({ quick }: Bench): Sizes =>
  quick
    ? {
        rounds: 2,
        rawSeconds: 0.5,
        noops: 4_000,
        ours: 10_000,
        ourSingles: 2_000,
        obvious: 1_000,
        each: 4_000,
        whole: 10_000,
        warmUp: 600,
      }
    : {
        rounds: 5,
        rawSeconds: 1.5,
        noops: 12_000,
        ours: 40_000,
        ourSingles: 6_000,
        obvious: 4_000,
        each: 20_000,
        whole: 40_000,
        warmUp: 2_000,
      }
