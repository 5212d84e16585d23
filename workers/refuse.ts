import type { Job } from 'bullmq'
import type { QueueName } from '../shared/contract/grammar.ts'
import type { RequestErrorCode } from '../shared/errors/catalogue.ts'
import { ShuttingDown } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { SealedRequest } from './batch.ts'
import { createDeadLetters } from './dead-letters.ts'
import type { Dependencies } from './dependencies.ts'
import type { Audit } from './stages/audit.ts'
import type { Opened, Unopened } from './stages/open.ts'
import type { Reply } from './stages/reply.ts'

type Refusal = Exclude<Opened<never>, { kind: 'open' }>

/** The process leaves, or only a person can help: the job goes back to the queue as it is. */
export const goesBack = (error: unknown): boolean => error instanceof ShuttingDown || error instanceof UserError

/**
 * The error exit of a pipeline: the refusal is audited, then told, then kept as a dead letter. Where the session opened, the
 * answer is sealed; where not, the requester gets a hint at most.
 */
export function createRefuse(queue: QueueName, audit: Audit, reply: Reply, dependencies: Dependencies) {
  const { metrics, log } = dependencies
  const keepDeadLetter = createDeadLetters(queue, dependencies)

  async function refuse(job: Job<unknown>, refusal: Refusal): Promise<void> {
    if (refusal.kind === 'unopened') return refuseUnopened(job, refusal)
    await audit.refusal(refusal.request, refusal.code, refusal.actorIsCertain)
    await refuseAudited(job, refusal.request, refusal.code)
  }

  async function refuseAudited(job: Job<unknown>, request: SealedRequest, code: RequestErrorCode): Promise<void> {
    metrics.refused(code, true)
    await reply.refusal(request, code)
    await keepDeadLetter(job, code, true)
  }

  async function refuseUnopened(job: Job<unknown>, { claim, code, items, attempt }: Unopened): Promise<void> {
    metrics.refused(code, false)
    log.warn({ queue, requestId: claim.id, claimedActor: claim.actor, code }, 'a request could not be opened')
    await audit.unopened(claim, attempt, items, code)
    await reply.hint(claim, code)
    await keepDeadLetter(job, code, false)
  }

  /** What follows **open**. A defect of ours in it refuses the request, sealed, rather than leave its requester waiting. */
  async function orRefuse(job: Job<unknown>, request: SealedRequest, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (goesBack(error)) throw error
      log.error({ queue, requestId: request.id, err: error }, 'unexpected error in the pipeline')
      await refuse(job, { kind: 'refused', code: 'unavailable', request, actorIsCertain: true })
    }
  }

  return { refuse, refuseAudited, orRefuse }
}
