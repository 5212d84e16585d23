import { v7 as uuidv7 } from 'uuid'
import { requestAad } from '../shared/contract/associated-data.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { limits } from '../shared/contract/grammar.ts'
import type { DetokBody, RequestEnvelope, TokenizeBody } from '../shared/contract/request.ts'
import { digestOf, sealBody } from '../shared/contract/seal.ts'
import type { Session } from './sessions.ts'

/**
 * What is needed to collect the answer of a request, in this process or another: plain JSON, holding no secret.
 */
export interface Ticket {
  readonly queue: QueueName
  readonly id: string
  /** Hex SHA-256 of the request's body bytes: an answer to other bytes is none. */
  readonly request: string
  readonly items: number
  readonly reply: string
  /** Unix seconds. */
  readonly exp: number
}

export type TicketOf<Q extends QueueName> = Ticket & { queue: Q }

/** What is asked on each queue. */
export interface Bodies {
  readonly detok: DetokBody
  readonly tokenize: TokenizeBody
}

/** Seals a request. Its id is a UUIDv7 made here; sent again byte for byte it has no second effect. */
export function sealRequest<Q extends QueueName>(
  queue: Q,
  actor: string,
  reply: string,
  session: Session,
  timeoutMs: number,
  body: Bodies[Q],
): { envelope: RequestEnvelope; ticket: TicketOf<Q> } {
  const exp = Math.min(Math.ceil((Date.now() + timeoutMs) / 1_000), session.until)
  const clear = { id: uuidv7(), actor, until: session.until, exp, reply, items: body.items.length }
  const sealed = sealBody(session.key, body, requestAad(queue, clear))
  return {
    envelope: { v: 1, ...clear, session: session.wrapped, body: sealed.toString('base64') },
    ticket: { queue, id: clear.id, request: digestOf(sealed), items: clear.items, reply, exp },
  }
}

/** Of the 1 MiB that a body may have, what is left for items beside purpose, reason and padding. */
const itemBytes = limits.bodyBytes - 8_192

/** Cuts a list into requests: at most `most` items each, and no more bytes than a body holds. Order is kept. */
export function splitIntoRequests<T>(items: readonly T[], most: number): T[][] {
  const requests: T[][] = []
  let current: T[] = []
  let bytes = 0
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item)) + 1
    if (current.length === most || (current.length > 0 && bytes + size > itemBytes)) {
      requests.push(current)
      current = []
      bytes = 0
    }
    current.push(item)
    bytes += size
  }
  if (current.length > 0) requests.push(current)
  return requests
}
