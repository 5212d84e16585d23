import type { Queue } from 'bullmq'
import type { QueueName } from '../shared/contract/grammar.ts'
import type { Logger } from '../shared/log/log.ts'
import { nextAnswer } from './answer.ts'
import { rankOf } from './limits.ts'
import type { Outcomes } from './open-reply.ts'
import { RequestFailed, unavailable } from './outcome.ts'
import type { ReplyListener } from './reply-listener.ts'
import type { Bodies, TicketOf } from './request.ts'
import { sealRequest } from './request.ts'
import type { Session, Sessions } from './sessions.ts'
import { untilAborted } from './until-aborted.ts'
import type { Withdrawals } from './withdrawals.ts'

export interface ExchangeParts {
  readonly actor: string
  readonly replyQueue: string
  readonly requests: Record<QueueName, Queue>
  readonly replies: ReplyListener
  readonly sessions: Sessions
  readonly withdrawals: Withdrawals
  /** Aborts when the client is closed: whoever still waits is let go. */
  readonly closed: AbortSignal
  readonly log: Logger
}

/** What a look at the queue may take where a request's deadline has passed: an answer that lies there is taken all the same. */
const lookMs = 1_000

interface Call<Q extends QueueName> {
  readonly queue: Q
  readonly body: Bodies[Q]
  readonly timeoutMs: number
  /** Lets it go: after its time with RequestFailed, at the caller's wish with the caller's reason, and when the client is closed. */
  readonly within: AbortSignal
}

/** One request and its answer: sealed and put on the queue, waited for, verified, opened. */
export class Exchange {
  readonly #parts: ExchangeParts

  constructor(parts: ExchangeParts) {
    this.#parts = parts
  }

  /**
   * Asks and waits for the answer. If a worker hints that the session does not open, the session is renewed and the
   * request sent once more, under an id of its own. A hint could be forged, so the first request is still listened for.
   * Whatever is not answered when the call ends is withdrawn, as nobody could collect it.
   */
  ask<Q extends QueueName>(queue: Q, body: Bodies[Q], timeoutMs: number, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    return this.#within(timeoutMs, signal, async (within) => {
      const call = { queue, body, timeoutMs, within }
      const unanswered = new Set<TicketOf<Q>>()
      const send = (session: Session) => this.#send(call, session, (ticket) => unanswered.add(ticket))
      try {
        const session = await this.#session(call)
        const again = async () => {
          await this.#parts.sessions.renew(queue, session)
          return send(await this.#session(call))
        }
        const { ticket, outcomes } = await nextAnswer(this.#parts, await send(session), within, again)
        unanswered.delete(ticket)
        return outcomes
      } finally {
        this.#parts.withdrawals.withdraw(unanswered)
      }
    })
  }

  submit<Q extends QueueName>(
    queue: Q,
    body: Bodies[Q],
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<TicketOf<Q>> {
    return this.#within(timeoutMs, signal, async (within) => {
      const call = { queue, body, timeoutMs, within }
      return this.#send(call, await this.#session(call))
    })
  }

  /** Until the request's deadline, which is when the workers stop caring. */
  collect<Q extends QueueName>(ticket: TicketOf<Q>, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    const left = ticket.exp * 1_000 - Date.now()
    return this.#within(Math.max(left, lookMs), signal, async (within) => {
      const { outcomes } = await nextAnswer(this.#parts, ticket, within)
      return outcomes
    })
  }

  async #within<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    work: (within: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new RequestFailed('timeout')), timeoutMs).unref()
    const within = AbortSignal.any([late.signal, this.#parts.closed, ...(signal === undefined ? [] : [signal])])
    try {
      return await work(within)
    } finally {
      clearTimeout(timer)
    }
  }

  #session<Q extends QueueName>({ queue, within }: Call<Q>): Promise<Session> {
    return untilAborted(this.#parts.sessions.current(queue).catch(unavailable), within)
  }

  async #send<Q extends QueueName>(
    { queue, body, timeoutMs, within }: Call<Q>,
    session: Session,
    sending: (ticket: TicketOf<Q>) => void = () => undefined,
  ): Promise<TicketOf<Q>> {
    const { actor, replyQueue, requests } = this.#parts
    const { envelope, ticket } = sealRequest(queue, actor, replyQueue, session, timeoutMs, body)
    sending(ticket)
    const adding = requests[queue]
      .add(queue, envelope, { jobId: envelope.id, ...rankOf(envelope.items) })
      .catch(unavailable)
    const job = await untilAborted(adding, within)
    // BullMQ reports some refusals as an id of its own instead of an error.
    if (job.id !== envelope.id) throw new RequestFailed('unavailable')
    return ticket
  }
}
