import type { Queue } from 'bullmq'
import type { QueueName } from '../shared/contract/grammar.ts'
import { hintJobId, replyJobId } from '../shared/contract/names.ts'
import { hint } from '../shared/contract/reply.ts'
import type { DetokBody, TokenizeBody } from '../shared/contract/request.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Logger } from '../shared/log/log.ts'
import type { Outcomes } from './open-reply.ts'
import { openReply } from './open-reply.ts'
import { RequestFailed } from './outcome.ts'
import type { ReplyListener } from './reply-listener.ts'
import type { Ticket } from './request.ts'
import { sealRequest } from './request.ts'
import type { Session, Sessions } from './sessions.ts'
import { untilAborted } from './until-aborted.ts'

export type Body = DetokBody | TokenizeBody

export interface ExchangeParts {
  readonly actor: string
  readonly replyQueue: string
  readonly requests: Record<QueueName, Queue>
  readonly replies: ReplyListener
  readonly sessions: Sessions
  /** Aborts when the client is closed: whoever still waits is let go. */
  readonly closed: AbortSignal
  readonly log: Logger
}

/** What a look at the queue may take where a request's deadline has passed: an answer that lies there is taken all the same. */
const lookMs = 1_000

type TicketOf<Q extends QueueName> = Ticket & { queue: Q }

/** One request and its answer: sealed and put on the queue, waited for, verified, opened. */
export class Exchange {
  readonly #parts: ExchangeParts

  constructor(parts: ExchangeParts) {
    this.#parts = parts
  }

  /**
   * Asks and waits for the answer. If a worker hints that the session does not open, the session is renewed and the
   * request sent once more, under an id of its own. A hint could be forged, so the first request is still listened for.
   */
  ask<Q extends QueueName>(queue: Q, body: Body, timeoutMs: number, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    return this.#within(timeoutMs, signal, async (within) => {
      const { ticket, session } = await this.#send(queue, body, timeoutMs, within)
      const again = async () => {
        await this.#parts.sessions.renew(queue, session)
        return (await this.#send(queue, body, timeoutMs, within)).ticket
      }
      return this.#answer(ticket, within, 'later', again)
    })
  }

  submit<Q extends QueueName>(queue: Q, body: Body, timeoutMs: number, signal?: AbortSignal): Promise<TicketOf<Q>> {
    return this.#within(timeoutMs, signal, async (within) => {
      const { ticket } = await this.#send(queue, body, timeoutMs, within)
      return ticket
    })
  }

  /** Until the request's deadline, which is when the workers stop caring. */
  collect<Q extends QueueName>(ticket: TicketOf<Q>, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    const left = ticket.exp * 1_000 - Date.now()
    return this.#within(Math.max(left, lookMs), signal, (within) => this.#answer(ticket, within, 'now'))
  }

  /** A call that is let go after this time with RequestFailed, with the caller's reason at the caller's wish, and by `closed`. */
  async #within<T>(
    timeoutMs: number,
    signal: AbortSignal | undefined,
    call: (within: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new RequestFailed('timeout')), timeoutMs).unref()
    const within = AbortSignal.any([late.signal, this.#parts.closed, ...(signal === undefined ? [] : [signal])])
    try {
      return await call(within)
    } finally {
      clearTimeout(timer)
    }
  }

  async #send<Q extends QueueName>(
    queue: Q,
    body: Body,
    timeoutMs: number,
    within: AbortSignal,
  ): Promise<{ ticket: TicketOf<Q>; session: Session }> {
    const { actor, replyQueue, requests, sessions } = this.#parts
    const session = await untilAborted(sessions.current(queue).catch(unavailable), within)
    const { envelope, ticket } = sealRequest(queue, actor, replyQueue, session, timeoutMs, body)
    const adding = requests[queue].add(queue, envelope, { jobId: envelope.id }).catch(unavailable)
    const job = await untilAborted(adding, within)
    // BullMQ reports some refusals as an id of its own instead of an error.
    if (job.id !== envelope.id) throw new RequestFailed('unavailable')
    return { ticket: { ...ticket, queue }, session }
  }

  /** `again`: heeds one hint that the session does not open. Other hints are only taken off the queue. */
  async #answer<Q extends QueueName>(
    first: TicketOf<Q>,
    within: AbortSignal,
    expected: 'now' | 'later',
    again?: () => Promise<TicketOf<Q>>,
  ): Promise<Outcomes[Q][]> {
    const { actor, replies, sessions, log } = this.#parts
    const byJobId = new Map<string, TicketOf<Q>>()
    const listenFor = (ticket: TicketOf<Q>) => {
      byJobId.set(replyJobId(ticket.queue, ticket.id, ticket.request), ticket)
      byJobId.set(hintJobId(ticket.queue, ticket.id), ticket)
    }
    listenFor(first)
    let askAgain = again
    for (;;) {
      const { jobId, content } = await replies.next([...byJobId.keys()], within, expected)
      const ticket = byJobId.get(jobId) ?? first
      const hinted = jobId.startsWith('hint.') ? hint.safeParse(content).data?.code : undefined
      const opened = await openReply(content, ticket, actor, sessions).catch(unavailable)
      // A job that cannot be removed now is left behind: no reason to lose the answer.
      await untilAborted(replies.discard(jobId), within).catch(() => undefined)
      if (opened instanceof RequestFailed) throw opened
      if (opened !== undefined) return opened
      if (hinted === 'unauthenticated' && askAgain !== undefined) {
        listenFor(await askAgain())
        askAgain = undefined
      } else log.warn({ jobId, hinted }, 'a job on the reply queue that is no sealed reply was discarded')
    }
  }
}

/** What a server or its driver says may quote what it was sent, so it is told by a code. */
function unavailable(error: unknown): never {
  throw error instanceof UserError ? error : new RequestFailed('unavailable')
}
