import type { Queue } from 'bullmq'
import type { QueueName } from '../shared/contract/grammar.ts'
import { hintJobId, replyJobId } from '../shared/contract/names.ts'
import { hint } from '../shared/contract/reply.ts'
import type { DetokBody, TokenizeBody } from '../shared/contract/request.ts'
import type { Logger } from '../shared/log/log.ts'
import type { Outcomes } from './open-reply.ts'
import { openReply } from './open-reply.ts'
import { RequestFailed } from './outcome.ts'
import type { ReplyListener } from './reply-listener.ts'
import type { Ticket } from './request.ts'
import { sealRequest } from './request.ts'
import type { Session, Sessions } from './sessions.ts'

export type Body = DetokBody | TokenizeBody

export interface ExchangeParts {
  readonly actor: string
  readonly replyQueue: string
  readonly requests: Record<QueueName, Queue>
  readonly replies: ReplyListener
  readonly sessions: Sessions
  readonly log: Logger
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
   */
  async ask<Q extends QueueName>(
    queue: Q,
    body: Body,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<Outcomes[Q][]> {
    const first = await this.#send(queue, body, timeoutMs)
    const within = AbortSignal.any([timeout(first.ticket), ...(signal === undefined ? [] : [signal])])
    const answer = await this.#answer([first.ticket], within, 'later')
    if (answer !== 'hint') return answer
    await this.#parts.sessions.renew(queue, first.session)
    const second = await this.#send(queue, body, timeoutMs)
    const final = await this.#answer([first.ticket, second.ticket], within, 'later', 'ignore hints')
    return final === 'hint' ? [] : final
  }

  async submit<Q extends QueueName>(queue: Q, body: Body, timeoutMs: number): Promise<Ticket & { queue: Q }> {
    return (await this.#send(queue, body, timeoutMs)).ticket
  }

  async collect<Q extends QueueName>(ticket: Ticket & { queue: Q }, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    const within = AbortSignal.any([timeout(ticket), ...(signal === undefined ? [] : [signal])])
    const answer = await this.#answer([ticket], within, 'now', 'ignore hints')
    return answer === 'hint' ? [] : answer
  }

  async #send<Q extends QueueName>(
    queue: Q,
    body: Body,
    timeoutMs: number,
  ): Promise<{ ticket: Ticket & { queue: Q }; session: Session }> {
    const { actor, replyQueue, requests, sessions } = this.#parts
    const session = await sessions.current(queue)
    const { envelope, ticket } = sealRequest(queue, actor, replyQueue, session, timeoutMs, body)
    const job = await requests[queue].add(queue, envelope, { jobId: envelope.id })
    // BullMQ reports some refusals as an id of its own instead of an error.
    if (job.id !== envelope.id) throw new RequestFailed('unavailable')
    return { ticket: { ...ticket, queue }, session }
  }

  async #answer<Q extends QueueName>(
    tickets: (Ticket & { queue: Q })[],
    signal: AbortSignal,
    expected: 'now' | 'later',
    hints?: 'ignore hints',
  ): Promise<Outcomes[Q][] | 'hint'> {
    const { actor, replies, sessions, log } = this.#parts
    const byJobId = new Map<string, Ticket & { queue: Q }>()
    for (const ticket of tickets) {
      byJobId.set(replyJobId(ticket.queue, ticket.id, ticket.request), ticket)
      if (hints === undefined) byJobId.set(hintJobId(ticket.queue, ticket.id), ticket)
    }
    for (;;) {
      const { jobId, content } = await replies.next([...byJobId.keys()], signal, expected)
      const ticket = byJobId.get(jobId)
      const isHint = jobId.startsWith('hint.')
      const opened = isHint || ticket === undefined ? undefined : await openReply(content, ticket, actor, sessions)
      await replies.discard(jobId)
      if (opened instanceof RequestFailed) throw opened
      if (opened !== undefined) return opened
      if (isHint && hint.safeParse(content).data?.code === 'unauthenticated') return 'hint'
      log.warn({ jobId }, 'a job on the reply queue that no worker can have sealed was discarded')
    }
  }
}

/** Aborts with RequestFailed at the request's deadline, which is when the workers stop caring. */
function timeout({ exp }: Ticket): AbortSignal {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new RequestFailed('timeout')), Math.max(0, exp * 1_000 - Date.now()))
  timer.unref()
  return controller.signal
}
