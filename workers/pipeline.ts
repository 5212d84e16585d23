import type { Job } from 'bullmq'

/** What a replica does with the jobs of its queue. Both reject only where the job is to go back to the queue. */
export interface Pipeline {
  /** From the job to the reply. */
  readonly process: (job: Job<unknown>) => Promise<void>
  /** Sets a job aside that cannot be processed: audited, its requester told as far as possible, kept as a dead letter. */
  readonly giveUp: (job: Job<unknown>) => Promise<void>
  /** The micro-batches so far. */
  readonly batches: () => { readonly batches: number; readonly items: number }
}
