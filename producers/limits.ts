import * as grammar from '../shared/contract/grammar.ts'
import type { DetokBody, TokenizeBody } from '../shared/contract/request.ts'
import type { ItemErrorCode } from '../shared/errors/catalogue.ts'

/*
 * What goes into a request, and what no request could hold. All else is for the workers to judge, and to audit.
 */

/** Larger requests cost less by the item, smaller ones are answered sooner. */
export const itemsPerRequest = 200

/**
 * A request of more items than this is bulk. It is put on the queue with a priority of BullMQ, which ranks behind none at all:
 * so whoever waits for a value or a handful does not wait behind files.
 */
const smallItems = 20
const bulkPriority = 1

export const rankOf = (items: number): { priority?: number } => (items > smallItems ? { priority: bulkPriority } : {})

const defaultTimeoutMs = 120_000
const longestTimeoutMs = grammar.limits.sessionSeconds * 1_000
/** Characters of a token, field or subject: far more than their grammars allow, and less than crowds a request. */
const longestName = 16_384

export type RequestItem = DetokBody['items'][number] | TokenizeBody['items'][number]

/** Why no request could hold this item. */
export function unsendable(item: RequestItem): ItemErrorCode | undefined {
  if ('value' in item && Buffer.byteLength(item.value) > grammar.limits.valueBytes) return 'too_large'
  const names = 'token' in item ? [item.token] : [item.field, item.subject ?? '']
  return names.some(({ length }) => length > longestName) ? 'invalid' : undefined
}

/** What a request says beside its items. */
export function reasonsOf({ purpose, reason }: { purpose: string; reason?: string }): {
  purpose: string
  reason?: string
} {
  if (!grammar.purpose.safeParse(purpose).success)
    throw new RangeError('a purpose is 1 to 64 of a to z, 0 to 9, _ . and -')
  if (reason === undefined) return { purpose }
  if (grammar.reason.safeParse(reason).success) return { purpose, reason }
  throw new RangeError('a reason has up to 256 characters and no control characters')
}

export function timeoutOf({ timeoutMs = defaultTimeoutMs }: { timeoutMs?: number }): number {
  if (timeoutMs > 0 && timeoutMs <= longestTimeoutMs) return timeoutMs
  throw new RangeError('a timeout is more than 0 and at most 86,400,000 milliseconds, which is a day')
}
