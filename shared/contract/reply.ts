import { z } from 'zod'
import type { ItemErrorCode, RequestErrorCode } from '../errors/catalogue.ts'
import { itemErrors, requestErrors } from '../errors/catalogue.ts'
import * as grammar from './grammar.ts'

const itemCode = z.enum(Object.keys(itemErrors) as [ItemErrorCode, ...ItemErrorCode[]])
const requestCode = z.enum(Object.keys(requestErrors) as [RequestErrorCode, ...RequestErrorCode[]])

/** A job named `reply` on the requester's reply queue. */
export const replyEnvelope = z.strictObject({
  v: z.literal(1),
  id: grammar.requestId,
  actor: grammar.actorName,
  queue: z.enum(grammar.queues),
  session: grammar.wrappedKey,
  until: grammar.unixSeconds,
  /** Hex SHA-256 of the request's body bytes: the answer is to these bytes and no others. */
  request: grammar.sha256Hex,
  /** As the request said; more than the limit only where the request was refused for it. */
  items: z.int().min(1),
  ok: z.int().min(0),
  failed: z.int().min(0),
  body: grammar.base64,
})
export type ReplyEnvelope = z.infer<typeof replyEnvelope>

const itemFailure = z.strictObject({ error: itemCode })
const refusal = z.strictObject({ error: requestCode })

/** What the body opens to: an outcome per item, in the request's order, or one code for the whole. */
export const detokReplyBody = z.union([
  z.strictObject({
    items: z.array(z.union([z.strictObject({ value: z.string(), mask: z.enum(grammar.masks) }), itemFailure])),
  }),
  refusal,
])
export const tokenizeReplyBody = z.union([
  z.strictObject({ items: z.array(z.union([z.strictObject({ token: grammar.token }), itemFailure])) }),
  refusal,
])
export type DetokReplyBody = z.infer<typeof detokReplyBody>
export type TokenizeReplyBody = z.infer<typeof tokenizeReplyBody>

/**
 * A job named `hint`: the request could not be opened, so there was no key to seal an answer with.
 * Anyone who holds Redis could forge one, so it is never an outcome.
 */
export const hint = z.strictObject({ code: requestCode })
export type Hint = z.infer<typeof hint>
