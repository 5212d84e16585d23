import type { QueueName } from '../shared/contract/grammar.ts'
import { deadLetterQueueName } from '../shared/contract/names.ts'
import { digestOf } from '../shared/contract/seal.ts'
import type { RequestErrorCode } from '../shared/errors/catalogue.ts'
import { ShuttingDown } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { SealedRequest } from './batch.ts'
import type { Dependencies } from './dependencies.ts'
import type { Audit } from './stages/audit.ts'
import type { Opened, Unopened } from './stages/open.ts'
import type { Reply } from './stages/reply.ts'

type Refusal = Exclude<Opened<never>, { kind: 'open' }>

/** The process leaves, or only a person can help: the job goes back to the queue as it is. */
export const goesBack = (error: unknown): boolean => error instanceof ShuttingDown || error instanceof UserError

/**
 * The error exit of a pipeline: the refusal is audited, and then told. Where the session opened, the answer is sealed;
 * where not, the requester gets a hint at most, and the job is kept as a dead letter.
 */
export function createRefuse(queue: QueueName, audit: Audit, reply: Reply, { redis, metrics, log }: Dependencies) {
  async function refuse(refusal: Refusal): Promise<void> {
    if (refusal.kind === 'unopened') return setAside(refusal)
    metrics.refused(refusal.code, true)
    await audit.refusal(refusal.request, refusal.code, refusal.actorIsCertain)
    await reply.refusal(refusal.request, refusal.code)
  }

  async function setAside({ claim, code, envelope, jobId, attempt }: Unopened): Promise<void> {
    metrics.refused(code, false)
    log.warn({ queue, requestId: claim.id, claimedActor: claim.actor, code }, 'a request could not be opened')
    await audit.unopened(claim, attempt, envelope?.items ?? 1, code)
    await reply.hint(claim, code)
    // The sealed request, if it has the form of one. What has not could be anything, a value in the clear included.
    const letter = { v: 1, queue, code, at: new Date().toISOString(), request: envelope ?? null }
    const letterId = `dead.${digestOf(Buffer.from(jobId)).slice(0, 32)}`
    await redis.use((queues) => queues.publish(deadLetterQueueName(queue), 'dead', letter, letterId))
  }

  /** What follows **open**. A defect of ours in it refuses the request, sealed, rather than leave its requester waiting. */
  async function orRefuse(request: SealedRequest, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (goesBack(error)) throw error
      log.error({ queue, requestId: request.id, err: error }, 'unexpected error in the pipeline')
      const code: RequestErrorCode = 'unavailable'
      await refuse({ kind: 'refused', code, request, actorIsCertain: true })
    }
  }

  return { refuse, orRefuse }
}
