import type { Job } from 'bullmq'
import { DelayedError, WaitingError } from 'bullmq'
import { requestId } from '../shared/contract/grammar.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Logger } from '../shared/log/log.ts'
import type { IntakeWorker } from './intake.ts'
import type { Pipeline } from './pipeline.ts'
import { goesBack } from './refuse.ts'

/** A job that can be neither processed nor given up waits this long, so that it does not spin. */
const tryAgainAfterMs = 5_000

/**
 * What becomes of a job in the end:
 *
 *   processed ──▶ done       set aside as a dead letter ──▶ done       given back ──▶ on the queue again, for any replica
 *
 * It never fails as BullMQ knows it: a failed job would be gone, and BullMQ keeps an error's text in Redis.
 */
export async function settle(
  job: Job<unknown>,
  token: string | undefined,
  {
    worker,
    pipeline,
    log,
    onFatal,
  }: { worker: IntakeWorker; pipeline: Pipeline; log: Logger; onFatal: (error: UserError) => void },
): Promise<void> {
  const about = { requestId: requestId.safeParse(job.id).data }
  try {
    await (worker.isGivenUp(job) ? pipeline.giveUp(job) : processOrGiveUp())
  } catch (error) {
    if (error instanceof UserError) onFatal(error)
    if (!goesBack(error)) {
      log.error({ ...about, err: error }, 'a job could not even be given up: it is tried again')
      await job.moveToDelayed(Date.now() + tryAgainAfterMs, token).catch(keptByItsLock)
      throw new DelayedError()
    }
    await job.moveToWait(token).catch(keptByItsLock)
    throw new WaitingError()
  } finally {
    worker.done(job)
  }

  async function processOrGiveUp(): Promise<void> {
    try {
      await pipeline.process(job)
    } catch (error) {
      if (goesBack(error)) throw error
      log.error({ ...about, err: error }, 'unexpected error in the pipeline')
      await pipeline.giveUp(job)
    }
  }

  /** Redis does not take it back now. It stays in `active`, and is found there when its lock has ended. */
  function keptByItsLock(error: unknown): void {
    log.warn({ ...about, err: error }, 'a job could not be given back')
  }
}
