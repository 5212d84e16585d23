import { isUtf8 } from 'node:buffer'
import type { Job } from 'bullmq'
import { z } from 'zod'
import { requestAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import * as grammar from '../../shared/contract/grammar.ts'
import type { RequestEnvelope } from '../../shared/contract/request.ts'
import { requestEnvelope } from '../../shared/contract/request.ts'
import { bodyCharacters, decodeBase64, digestOf, digestOfEncoded, openBody } from '../../shared/contract/seal.ts'
import type { RequestErrorCode } from '../../shared/errors/catalogue.ts'
import { ContentRefused } from '../../shared/errors/server-errors.ts'
import type { OpenRequest, SealedRequest } from '../batch.ts'
import { hasPassed, nowSeconds } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import { createSessionKeys } from './session-keys.ts'

/** What is said of a job by itself: each member only if it passed its grammar, none of it certain. */
export interface Claim {
  readonly id?: string | undefined
  readonly actor?: string | undefined
  readonly reply?: string | undefined
}

/** A job that cannot be answered with a sealed reply. */
export interface Unopened {
  readonly kind: 'unopened'
  readonly code: RequestErrorCode
  readonly claim: Claim
  /** As many as it says it has, if it has the form of a sealed request. */
  readonly items: number
  readonly attempt: number
}

export type Opened<Body> =
  | { readonly kind: 'open'; readonly request: OpenRequest; readonly body: Body }
  /** Refused as a whole. The session opened, so the answer is sealed. */
  | {
      readonly kind: 'refused'
      readonly code: RequestErrorCode
      readonly request: SealedRequest
      /** False if the body was not opened: a session in the clear can be copied onto any body. */
      readonly actorIsCertain: boolean
    }
  | Unopened

const farthestUntil = grammar.limits.sessionSeconds + grammar.limits.clockSkewSeconds

/**
 * Stage **open**: authenticates and decrypts a request, validates it, and refuses what has expired.
 * Nothing in the clear is believed before the body opened, since the body's AAD vouches for it.
 */
export function createOpen<Body extends { items: unknown[]; purpose: string; reason?: string | undefined }>(
  queue: QueueName,
  bodySchema: z.ZodType<Body>,
  dependencies: Dependencies,
): (job: Job<unknown>) => Promise<Opened<Body>> {
  const sessionKeys = createSessionKeys(queue, dependencies)
  const { policy } = dependencies

  return async (job) => {
    const envelope = requestEnvelope.safeParse(job.data).data
    if (
      envelope === undefined ||
      job.name !== queue ||
      job.id !== envelope.id ||
      !grammar.isReplyQueueOf(envelope.actor, envelope.reply)
    ) {
      return unopened(job, 'malformed')
    }
    const sessionKey = await sessionKeys(envelope)
    if (sessionKey === undefined) return unopened(job, 'unauthenticated')

    const { id, actor, session, until, exp, reply, items: itemCount } = envelope
    const request = { queue, id, actor, session, sessionKey, until, exp, reply, itemCount, attempt: attemptOf(job) }
    if (envelope.body.length > bodyCharacters) {
      // Sealed to the digest of these very bytes, so it answers no other request.
      const oversized = { ...request, digest: digestOfEncoded(envelope.body) }
      return { kind: 'refused', code: 'too_large', request: oversized, actorIsCertain: false }
    }
    const sealed = decodeBase64(envelope.body)
    if (sealed === undefined) return unopened(job, 'malformed')
    const opened = openBody(sessionKey, sealed, requestAad(queue, envelope))
    if (opened === undefined) return unopened(job, 'unauthenticated')

    const authentic: SealedRequest = { ...request, digest: digestOf(sealed) }
    const refused = (code: RequestErrorCode): Opened<Body> => ({
      kind: 'refused',
      code,
      request: authentic,
      actorIsCertain: true,
    })
    if (until > nowSeconds() + farthestUntil || exp > until) return refused('malformed')
    if (hasPassed(exp)) return refused('expired')
    if (itemCount > grammar.limits.itemsPerRequest || sealed.length > grammar.limits.bodyBytes)
      return refused('too_large')
    const body = opened === 'not json' ? undefined : bodySchema.safeParse(opened.content).data
    if (body === undefined || body.items.length !== itemCount) return refused('malformed')

    try {
      const tenant = await policy.use((by) => by.tenantOf(actor))
      return { kind: 'open', request: { ...authentic, tenant, purpose: body.purpose, reason: body.reason }, body }
    } catch (error) {
      if (error instanceof ContentRefused) return refused('unavailable')
      throw error
    }
  }
}

/** As the audit can hold it: it comes from the job's hash, where anything may stand. */
export const attemptOf = ({ attemptsStarted }: Job<unknown>): number =>
  Number.isInteger(attemptsStarted) ? Math.min(Math.max(attemptsStarted, 1), 32_767) : 1

export function unopened(job: Job<unknown>, code: RequestErrorCode): Unopened {
  return {
    kind: 'unopened',
    code,
    claim: claimOf(job.data),
    items: envelopeOf(job.data)?.items ?? 1,
    attempt: attemptOf(job),
  }
}

/** The data of a job, if it has the form of a sealed request, whoever made it. */
export function envelopeOf(data: unknown): RequestEnvelope | undefined {
  const envelope = requestEnvelope.safeParse(data).data
  return envelope !== undefined && isSealed(envelope) ? envelope : undefined
}

/** A body that reads as text was never sealed: a clumsy producer put values there, and they must not be copied anywhere. */
function isSealed({ body }: RequestEnvelope): boolean {
  return body.length <= bodyCharacters && !isUtf8(Buffer.from(body, 'base64'))
}

const claims = z.object({ id: z.unknown(), actor: z.unknown(), reply: z.unknown() }).partial()

function claimOf(data: unknown): Claim {
  const said = claims.safeParse(data).data
  return {
    id: grammar.requestId.safeParse(said?.id).data,
    actor: grammar.actorName.safeParse(said?.actor).data,
    reply: grammar.replyQueue.safeParse(said?.reply).data,
  }
}
