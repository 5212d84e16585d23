import type { QueueName } from './grammar.ts'
import type { ReplyEnvelope } from './reply.ts'
import type { RequestEnvelope } from './request.ts'

/**
 * The associated data of every sealed thing: fixed words and the clear fields, joined by `\n`.
 * No field can hold a line break (each has a grammar), so no two different lists make the same bytes.
 */
const lines = (...fields: (string | number)[]): Buffer => Buffer.from(['pii1', ...fields].join('\n'))

export const sessionAad = (queue: QueueName, actor: string, until: number): Buffer =>
  lines('session', queue, actor, until)

export const requestAad = (queue: QueueName, r: Omit<RequestEnvelope, 'v' | 'session' | 'body'>): Buffer =>
  lines('request', queue, r.id, r.actor, r.until, r.exp, r.reply, r.items)

export const replyAad = (r: Omit<ReplyEnvelope, 'v' | 'session' | 'until' | 'body'>): Buffer =>
  lines('reply', r.queue, r.id, r.actor, r.request, r.items, r.ok, r.failed)

export const recordAad = (tenant: string, field: string, subject: string, token: string): Buffer =>
  lines('record', tenant, field, subject, token)
