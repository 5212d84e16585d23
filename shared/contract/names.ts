import type { QueueName } from './grammar.ts'

// Every name that two parties must spell alike.

/** The Transit key under which an actor's sessions for one queue are wrapped. */
export const sessionKeyName = (queue: QueueName, actor: string): string => `queue-${queue}-${actor}`

/** The Transit key that wraps the DEK of every record. */
export const kekName = 'pii'

export const replyJobId = (queue: QueueName, id: string, requestDigest: string): string =>
  `${queue}.${id}.${requestDigest.slice(0, 16)}`

export const hintJobId = (queue: QueueName, id: string): string => `hint.${queue}.${id}`

export const replyQueueName = (actor: string, instance?: string): string =>
  instance === undefined ? `reply-${actor}` : `reply-${actor}.${instance}`

/** `putAt`: when the job was put on its queue, in milliseconds. */
export const deadLetterId = (queue: QueueName, jobIdDigest: string, putAt: number): string =>
  `${queue}.${jobIdDigest.slice(0, 16)}.${putAt}`

export const deadLetterQueueName = (queue: QueueName): string => `dead-${queue}`
