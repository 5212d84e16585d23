import type { QueueName } from '../shared/contract/grammar.ts'
import { limits } from '../shared/contract/grammar.ts'
import type { Exchange } from './exchange.ts'
import { reasonsOf, timeoutOf } from './limits.ts'
import type { Outcomes } from './open-reply.ts'
import type { Detokenized, Tokenized } from './outcome.ts'
import { askInParts, withOthers } from './parts.ts'
import type { Ticket, TicketOf } from './request.ts'

export interface RequestOptions {
  /** Why the values are needed: the policy decides by it and the audit keeps it. `[a-z0-9_.-]{1,64}` */
  readonly purpose: string
  /** For the audit: up to 256 characters. */
  readonly reason?: string
  /** The deadline of a request; nothing is processed after it. At most a day, two minutes by default. */
  readonly timeoutMs?: number
  /** Stops the waiting, with its reason. What no worker has taken yet is withdrawn; the rest is processed all the same. */
  readonly signal?: AbortSignal
}

export interface TokenizeItem {
  readonly field: string
  readonly subject?: string
  readonly value: string
}

/** How requests are sent and answered. */
type Asking = Pick<Exchange, 'ask' | 'submit' | 'collect'>

/**
 * A producer under the identity of one actor. Sessions and their renewal, sealing, splitting, waiting and verifying are
 * inside. Outcomes come in the order of the items, one for each.
 */
export class Client {
  readonly #exchange: Asking
  readonly #close: () => Promise<void>

  constructor(exchange: Asking, close: () => Promise<void>) {
    this.#exchange = exchange
    this.#close = close
  }

  /**
   * Any number of items; more than one request holds are sent as several, a few at a time. If one of them has no outcome, no
   * more are sent, those under way are waited for, and RequestFailed carries every outcome there is.
   */
  tokenize(items: readonly TokenizeItem[], options: RequestOptions): Promise<Tokenized[]> {
    return askInParts(tokenizeItems(items), options.signal, (part, signal) =>
      this.#exchange.ask('tokenize', { ...reasonsOf(options), items: part }, timeoutOf(options), signal),
    )
  }

  /** The same. Where values are too large for one reply together, the rest is asked for again. */
  async detok(tokens: readonly string[], options: RequestOptions): Promise<Detokenized[]> {
    const outcomes = await askInParts(detokItems(tokens), options.signal, (part, signal) =>
      this.#exchange.ask('detok', { ...reasonsOf(options), items: part }, timeoutOf(options), signal),
    )
    const left = [...outcomes.keys()].filter((i) => isTooLarge(outcomes[i]))
    if (left.length === 0 || left.length === tokens.length) return outcomes
    const rest = left.map((i) => tokens[i] as string)
    return withOthers(outcomes, left, this.detok(rest, options))
  }

  /** Puts one request of 1 to 1,000 items on the queue. The ticket is plain JSON: it can be kept and collected elsewhere. */
  submit(queue: 'detok', tokens: readonly string[], options: RequestOptions): Promise<TicketOf<'detok'>>
  submit(queue: 'tokenize', items: readonly TokenizeItem[], options: RequestOptions): Promise<TicketOf<'tokenize'>>
  async submit(queue: QueueName, items: readonly (string | TokenizeItem)[], options: RequestOptions): Promise<Ticket> {
    const most = limits.itemsPerRequest
    if (items.length < 1 || items.length > most)
      throw new RangeError(`a request holds 1 to ${most} items, not ${items.length}`)
    const { signal } = options
    const timeoutMs = timeoutOf(options)
    if (queue === 'detok') {
      const body = { ...reasonsOf(options), items: detokItems(items as readonly string[]) }
      return this.#exchange.submit(queue, body, timeoutMs, signal)
    }
    const body = { ...reasonsOf(options), items: tokenizeItems(items as readonly TokenizeItem[]) }
    return this.#exchange.submit(queue, body, timeoutMs, signal)
  }

  /** Waits for a request's answer, also after a restart or in another process of the same actor and reply queue. */
  collect<Q extends QueueName>(ticket: TicketOf<Q>, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    return this.#exchange.collect(ticket, signal)
  }

  close(): Promise<void> {
    return this.#close()
  }
}

// Only what the contract knows: whatever else a caller's items hold would make the request malformed.
const detokItems = (tokens: readonly string[]) => tokens.map((token) => ({ token }))
const tokenizeItems = (items: readonly TokenizeItem[]) =>
  items.map(({ field, subject, value }) => ({ field, subject, value }))

const isTooLarge = (outcome: Detokenized | undefined): boolean => outcome?.ok === false && outcome.code === 'too_large'
