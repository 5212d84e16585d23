import type { Secret } from '../shared/crypto/secret.ts'
import type { ItemErrorCode, RequestErrorCode } from '../shared/errors/catalogue.ts'
import { itemErrors, requestErrors } from '../shared/errors/catalogue.ts'
import type { Mask } from '../shared/policy/mask.ts'

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

/** A request that has no outcomes: it was refused as a whole, or no answer came in time. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly code: RequestErrorCode | 'timeout'
  readonly retryable: boolean

  constructor(code: RequestErrorCode | 'timeout') {
    const { message, retryable } =
      code === 'timeout'
        ? { message: 'No answer came in time. It may still come: the ticket can be collected again.', retryable: true }
        : requestErrors[code]
    super(message)
    this.code = code
    this.retryable = retryable
  }
}
