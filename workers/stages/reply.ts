import { replyAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { isReplyQueueOf } from '../../shared/contract/grammar.ts'
import { hintJobId, replyJobId } from '../../shared/contract/names.ts'
import type { DetokReplyBody, Hint, ReplyEnvelope, TokenizeReplyBody } from '../../shared/contract/reply.ts'
import { sealBody } from '../../shared/contract/seal.ts'
import type { RequestErrorCode } from '../../shared/errors/catalogue.ts'
import { ContentRefused } from '../../shared/errors/server-errors.ts'
import type { SealedRequest } from '../batch.ts'
import { nowSeconds } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Claim } from './open.ts'

type ItemOf<Body> = Body extends { items: (infer Item)[] } ? Item : never
export type DetokReplyItem = ItemOf<DetokReplyBody>
export type TokenizeReplyItem = ItemOf<TokenizeReplyBody>

const hintsPerSecond = 10

/**
 * Stage **reply**: the outcome, sealed with the session key, under an id made from the request's id and bytes. So a job
 * that runs again publishes the same reply, and the requester sees one.
 */
export function createReply(queue: QueueName, { redis }: Dependencies) {
  const hintsLeft = createHintLimit()

  async function publish({ reply, id, digest }: SealedRequest, envelope: ReplyEnvelope): Promise<void> {
    await redis.use((queues) => queues.publish(reply, 'reply', envelope, replyJobId(queue, id, digest)))
  }

  return {
    items: (request: SealedRequest, items: (DetokReplyItem | TokenizeReplyItem)[]): Promise<void> =>
      publish(request, sealItems(request, items)),
    refusal: (request: SealedRequest, code: RequestErrorCode): Promise<void> =>
      publish(request, seal(request, { ok: 0, failed: request.itemCount }, { error: code })),
    /** There is no key to seal with: a code and nothing else, and only to a queue of the actor that the job claims. */
    hint: async ({ id, actor, reply }: Claim, code: RequestErrorCode): Promise<void> => {
      if (id === undefined || actor === undefined || reply === undefined) return
      if (!isReplyQueueOf(actor, reply) || !hintsLeft(actor)) return
      const content: Hint = { code }
      try {
        await redis.use((queues) => queues.publish(reply, 'hint', content, hintJobId(queue, id)))
      } catch (error) {
        // A queue that takes no job gets no hint; its requester waits for the deadline.
        if (!(error instanceof ContentRefused)) throw error
      }
    },
  }
}

/** The outcomes of a request's items, sealed for its actor. */
export function sealItems(request: SealedRequest, items: (DetokReplyItem | TokenizeReplyItem)[]): ReplyEnvelope {
  const failed = items.filter((item) => 'error' in item).length
  return seal(request, { ok: items.length - failed, failed }, { items })
}

function seal(request: SealedRequest, counts: { ok: number; failed: number }, content: object): ReplyEnvelope {
  const { id, actor, queue, session, until, digest, itemCount: items, sessionKey } = request
  const clear = { id, actor, queue, request: digest, items, ...counts }
  const body = sealBody(sessionKey, content, replyAad(clear)).toString('base64')
  return { v: 1, ...clear, session, until, body }
}

export type Reply = ReturnType<typeof createReply>

/** Forged requests cost nothing to make, so what they can make us publish is bounded, for each actor they name. */
function createHintLimit(): (actor: string) => boolean {
  let second = 0
  let counts = new Map<string, number>()
  return (actor) => {
    const now = nowSeconds()
    if (now !== second) [second, counts] = [now, new Map()]
    const count = counts.get(actor) ?? 0
    if (count >= hintsPerSecond || counts.size >= 10_000) return false
    counts.set(actor, count + 1)
    return true
  }
}
