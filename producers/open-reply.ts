import { replyAad } from '../shared/contract/associated-data.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { detokReplyBody, replyEnvelope, tokenizeReplyBody } from '../shared/contract/reply.ts'
import { decodeBase64, openBody } from '../shared/contract/seal.ts'
import { Secret } from '../shared/crypto/secret.ts'
import type { Detokenized, Tokenized } from './outcome.ts'
import { failure, RequestFailed } from './outcome.ts'
import type { Ticket } from './request.ts'
import type { Sessions } from './sessions.ts'

export interface Outcomes {
  readonly detok: Detokenized
  readonly tokenize: Tokenized
}

/** How the opened body of each queue's reply is read. */
const readers = {
  detok: (content: unknown) => {
    const body = detokReplyBody.safeParse(content).data
    if (body === undefined || 'error' in body) return body
    return body.items.map(
      (item): Detokenized =>
        'error' in item ? failure(item.error) : { ok: true, value: new Secret(item.value), mask: item.mask },
    )
  },
  tokenize: (content: unknown) => {
    const body = tokenizeReplyBody.safeParse(content).data
    if (body === undefined || 'error' in body) return body
    return body.items.map(
      (item): Tokenized => ('error' in item ? failure(item.error) : { ok: true, token: item.token }),
    )
  },
}

/**
 * The outcomes in a reply, or the refusal of the request as a whole. `undefined` if it is not a genuine reply to exactly
 * this request: anyone who holds Redis can put such a job there, and only the workers can seal one. Who asked with a session
 * that it still has the key of need not ask OpenBao about any other (`own session`).
 */
export async function openReply<Q extends QueueName>(
  content: unknown,
  ticket: Ticket & { queue: Q },
  actor: string,
  sessions: Sessions,
  sealedWith: 'own session' | 'any session',
): Promise<Outcomes[Q][] | RequestFailed | undefined> {
  const envelope = replyEnvelope.safeParse(content).data
  const { queue, id, request, items } = ticket
  if (envelope === undefined || envelope.actor !== actor || envelope.queue !== queue) return undefined
  if (envelope.id !== id || envelope.request !== request || envelope.items !== items) return undefined
  const { session, until } = envelope
  if (sealedWith === 'own session' && !sessions.holds(queue, session, until)) return undefined
  const sealed = decodeBase64(envelope.body)
  const key = await sessions.keyOf(queue, session, until)
  if (sealed === undefined || key === undefined) return undefined
  const opened = openBody(key, sealed, replyAad(envelope))
  if (opened === undefined || opened === 'not json') return undefined
  const outcomes = readers[queue](opened.content)
  if (outcomes === undefined) return undefined
  if ('error' in outcomes) return new RequestFailed(outcomes.error)
  return outcomes.length === items ? (outcomes as Outcomes[Q][]) : undefined
}
