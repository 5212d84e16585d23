import type { QueueName } from '../shared/contract/grammar.ts'
import { deadLetterQueueName } from '../shared/contract/names.ts'
import { digestOf } from '../shared/contract/seal.ts'
import type { Dependencies } from './dependencies.ts'
import type { Audit } from './stages/audit.ts'
import type { Opened } from './stages/open.ts'
import type { createReply } from './stages/reply.ts'

type Refusal = Exclude<Opened<never>, { kind: 'open' }>

/**
 * The error exit of **open**: the refusal is audited, and then told. Where the session opened, the answer is sealed;
 * where not, the requester gets a hint at most, and the job is kept as a dead letter.
 */
export function createRefuse(
  queue: QueueName,
  audit: Audit,
  reply: ReturnType<typeof createReply>,
  { redis, log }: Dependencies,
): (refusal: Refusal) => Promise<void> {
  return async (refusal) => {
    const { code } = refusal
    if (refusal.kind === 'refused') {
      await audit.refusal(refusal.request, code, refusal.actorIsCertain)
      return reply.refusal(refusal.request, code)
    }
    const { claim, envelope, jobId, attempt } = refusal
    log.warn({ queue, requestId: claim.id, claimedActor: claim.actor, code }, 'a request could not be opened')
    await audit.unopened(claim, attempt, envelope?.items ?? 1, code)
    await reply.hint(claim, code)
    // The sealed request, if it has the form of one. What has not could be anything, a value in the clear included.
    const letter = { v: 1, queue, code, at: new Date().toISOString(), request: envelope ?? null }
    const letterId = `dead.${digestOf(Buffer.from(jobId)).slice(0, 32)}`
    await redis.guard.use(() => redis.replies.publish(deadLetterQueueName(queue), 'dead', letter, letterId))
  }
}
