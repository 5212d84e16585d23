import type { Mask } from '../shared/contract/grammar.ts'
import type { Secret } from '../shared/crypto/secret.ts'
import type { ItemErrorCode, RequestErrorCode } from '../shared/errors/catalogue.ts'
import { itemErrors, requestErrors } from '../shared/errors/catalogue.ts'
import { UserError } from '../shared/errors/user-error.ts'

/** How one item ended. A failure is an outcome too: no exception is thrown for it. */
export type Outcome<T> = ({ readonly ok: true } & T) | ItemFailure

export interface ItemFailure {
  readonly ok: false
  readonly code: ItemErrorCode
  /** True if asking again later may help. */
  readonly retryable: boolean
  readonly message: string
}

export type Tokenized = Outcome<{ readonly token: string }>
/** `value` prints nothing; `value.reveal()` gives it out. `mask` says how much of it the actor may see. */
export type Detokenized = Outcome<{ readonly value: Secret; readonly mask: Mask }>

export const failure = (code: ItemErrorCode): ItemFailure => ({ ok: false, code, ...itemErrors[code] })

/**
 * A request has no outcome: it was refused as a whole, or no answer came in time. A call of more items than one request
 * holds may have others that have: none is lost.
 */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly code: RequestErrorCode | 'timeout'
  readonly retryable: boolean
  /** Of `tokenize` and `detok`: one for each item of the call, undefined where there is none. Empty otherwise. */
  readonly outcomes: readonly (Tokenized | Detokenized | undefined)[]

  constructor(code: RequestErrorCode | 'timeout', outcomes: RequestFailed['outcomes'] = []) {
    const { message, retryable } =
      code === 'timeout' ? { message: 'No answer came in time.', retryable: true } : requestErrors[code]
    super(message)
    this.code = code
    this.retryable = retryable
    this.outcomes = outcomes
  }
}

/** What a server or its driver says may quote what it was sent, so it is told by a code. */
export function unavailable(error: unknown): never {
  throw error instanceof UserError ? error : new RequestFailed('unavailable')
}
