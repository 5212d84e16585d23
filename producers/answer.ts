import { setTimeout as delay } from 'node:timers/promises'
import type { QueueName } from '../shared/contract/grammar.ts'
import { hintJobId, replyJobId } from '../shared/contract/names.ts'
import { hint } from '../shared/contract/reply.ts'
import { Unavailable } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Logger } from '../shared/log/log.ts'
import type { Outcomes } from './open-reply.ts'
import { openReply } from './open-reply.ts'
import { RequestFailed, unavailable } from './outcome.ts'
import type { ReplyListener } from './reply-listener.ts'
import type { TicketOf } from './request.ts'
import type { Sessions } from './sessions.ts'
import { untilAborted } from './until-aborted.ts'

export interface AnswerParts {
  readonly actor: string
  readonly replies: ReplyListener
  readonly sessions: Sessions
  readonly log: Logger
}

export interface Answer<Q extends QueueName> {
  /** Which of the requests it answers: the first, or the one that was sent again. */
  readonly ticket: TicketOf<Q>
  readonly outcomes: Outcomes[Q][]
}

/** What OpenBao cannot judge now stays, and is looked at again: a job that nobody has verified decides nothing. */
const lookAgainMs = 1_000

function notNow(error: unknown): 'not now' {
  if (error instanceof Unavailable) return 'not now'
  return unavailable(error)
}

interface WaitingFor<Q extends QueueName> {
  readonly ticket: TicketOf<Q>
  readonly kind: 'reply' | 'hint'
}

/**
 * Waits for the genuine answer to a request, and takes what is none off the queue. `again` sends it once more, and is
 * called for one hint that its session does not open. Without it the request may be an old one, answered already.
 */
export async function nextAnswer<Q extends QueueName>(
  { actor, replies, sessions, log }: AnswerParts,
  first: TicketOf<Q>,
  within: AbortSignal,
  again?: () => Promise<TicketOf<Q>>,
): Promise<Answer<Q>> {
  const waitingFor = new Map<string, WaitingFor<Q>>()
  const listenFor = (ticket: TicketOf<Q>) => {
    waitingFor.set(replyJobId(ticket.queue, ticket.id, ticket.request), { ticket, kind: 'reply' })
    waitingFor.set(hintJobId(ticket.queue, ticket.id), { ticket, kind: 'hint' })
  }
  // A job that cannot be removed now is left behind: no reason to lose the answer.
  const discard = (jobId: string) => untilAborted(replies.discard(jobId), within).catch(() => undefined)

  listenFor(first)
  let askAgain = again
  const sealedWith = again === undefined ? 'any session' : 'own session'
  let expected: 'now' | 'later' = again === undefined ? 'now' : 'later'
  for (;;) {
    const { jobId, content } = await replies.next([...waitingFor.keys()], within, expected)
    const { ticket, kind } = waitingFor.get(jobId) as WaitingFor<Q>
    expected = 'now'
    if (kind === 'reply') {
      const opened = await openReply(content, ticket, actor, sessions, sealedWith).catch(notNow)
      if (opened === 'not now') {
        await untilAborted(delay(lookAgainMs), within)
        continue
      }
      await discard(jobId)
      if (opened instanceof RequestFailed) throw opened
      if (opened !== undefined) return { ticket, outcomes: opened }
      log.warn({ jobId }, 'a job on the reply queue that is no genuine reply was discarded')
      continue
    }
    await discard(jobId)
    const { code } = hint.safeParse(content).data ?? {}
    log.warn({ jobId, code }, 'a hint that a request was not opened')
    if (code !== 'unauthenticated' || askAgain === undefined) continue
    const ask = askAgain
    askAgain = undefined
    // Who was revoked gets no answer. In an outage the first may still come: a hint may be forged, and decides nothing.
    const second = await ask().catch((error: unknown) => {
      if (error instanceof UserError || within.aborted) throw error
      log.warn({ jobId, err: error }, 'it could not be sent again')
      return undefined
    })
    if (second !== undefined) listenFor(second)
  }
}
