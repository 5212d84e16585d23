import { setImmediate } from 'node:timers/promises'
import type { Queue } from 'bullmq'
import type { QueueName } from '../shared/contract/grammar.ts'
import { hintJobId, replyJobId } from '../shared/contract/names.ts'
import type { ReplyListener } from './reply-listener.ts'
import type { Ticket } from './request.ts'
import { untilAborted } from './until-aborted.ts'

/** What closing a client waits for the last of them. */
const settleMs = 1_000

/**
 * Takes back requests whose answers nobody will read: from the queue, where no worker has taken them yet, and what lies there
 * of their answers already. Best effort: an answer that comes later stays, as does one that a server cannot remove now.
 */
export class Withdrawals {
  readonly #requests: Record<QueueName, Queue>
  readonly #replies: ReplyListener
  readonly #underWay = new Set<Promise<unknown>>()

  constructor(requests: Record<QueueName, Queue>, replies: ReplyListener) {
    this.#requests = requests
    this.#replies = replies
  }

  /** Nobody waits for it: it may take for ever where Redis is away. */
  withdraw(tickets: Iterable<Ticket>): void {
    for (const { queue, id, request } of tickets) {
      const removals = [
        // It has no children, and who adds requests may not look for them.
        this.#requests[queue].remove(id, { removeChildren: false }),
        this.#replies.discard(replyJobId(queue, id, request)),
        this.#replies.discard(hintJobId(queue, id)),
      ]
      const settled: Promise<unknown> = Promise.allSettled(removals).then(() => this.#underWay.delete(settled))
      this.#underWay.add(settled)
    }
  }

  /** Resolves when all that was withdrawn is gone, or after a moment. */
  async settled(): Promise<void> {
    await setImmediate() // calls that were let go just now withdraw on their way out
    const late = AbortSignal.timeout(settleMs)
    await untilAborted(Promise.all(this.#underWay), late).catch(() => undefined)
  }
}
