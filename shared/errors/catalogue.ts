/**
 * Every code that may stand in a reply, what it means, and whether asking again can help.
 * `docs/contract/codes.md` is made from this file; a test keeps them equal.
 *
 * The messages are written here and nowhere else, so none can quote a value, a token or a driver's text.
 */
interface Entry {
  /** True if the same request may succeed later; false if its outcome is final. */
  readonly retryable: boolean
  readonly message: string
}

const final = (message: string): Entry => ({ retryable: false, message })
const retryable = (message: string): Entry => ({ retryable: true, message })

/** What can be said of one item. The other items of its request go on. */
export const itemErrors = {
  not_found: final('No record with this token exists for the tenant of the actor.'),
  denied: final('The policy does not allow this actor to do this with this item.'),
  erased: final('The record was erased; its value cannot be recovered.'),
  expired: final('The deadline of the request passed before this item was processed.'),
  corrupt: final(
    'The record does not open: its ciphertext or its wrapped key was altered or belongs to another record.',
  ),
  key_retired: final('The record is wrapped under a KEK version below the minimum that may still be used.'),
  invalid: final('The item breaks the contract: a malformed token or field, or a value that is not well-formed text.'),
  too_large: final(
    'The item is over its size limit, or the values of the reply together are over 1 MiB: ask for fewer at once.',
  ),
  unavailable: retryable('A server could not process this item now.'),
} as const satisfies Record<string, Entry>

/** What can be said of a request as a whole. None of its items was processed. */
export const requestErrors = {
  unauthenticated: final('The request does not open under the session of the actor it names.'),
  malformed: final('The request breaks the wire contract.'),
  expired: final('The deadline of the request, or its session, has passed.'),
  too_large: final('The request is over the limit of 1,000 items or 1 MiB.'),
  conflict: final('A request with the same id and other contents was processed before.'),
  unavailable: retryable('The request could not be processed now.'),
} as const satisfies Record<string, Entry>

export type ItemErrorCode = keyof typeof itemErrors
export type RequestErrorCode = keyof typeof requestErrors
