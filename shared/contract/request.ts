import { z } from 'zod'
import * as grammar from './grammar.ts'

/**
 * A request as it lies on the queue: everything but `body` is in the clear and authenticated by the body's AAD.
 * The size limits of `items` and `body` are not part of it: they have a code of their own, `too_large`.
 */
export const requestEnvelope = z.strictObject({
  v: z.literal(1),
  id: grammar.requestId,
  actor: grammar.actorName,
  session: grammar.wrappedKey,
  until: grammar.unixSeconds,
  exp: grammar.unixSeconds,
  reply: grammar.replyQueue,
  items: z.int().min(1).max(1_000_000_000),
  body: grammar.base64,
})
export type RequestEnvelope = z.infer<typeof requestEnvelope>

const common = { purpose: grammar.purpose, reason: grammar.reason.optional() }

/**
 * What the body opens to. The shape is the request's matter (`malformed`); what stands in an item's strings is
 * the item's (`invalid`, `too_large`), so here they are only strings.
 */
export const detokBody = z.strictObject({
  ...common,
  items: z.array(z.strictObject({ token: z.string() })).min(1),
})
export type DetokBody = z.infer<typeof detokBody>

export const tokenizeBody = z.strictObject({
  ...common,
  items: z.array(z.strictObject({ field: z.string(), subject: z.string().optional(), value: z.string() })).min(1),
})
export type TokenizeBody = z.infer<typeof tokenizeBody>
