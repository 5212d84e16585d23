import type { QueueName } from '../contract/grammar.ts'
import type { Decision } from './decision.ts'

export interface Question {
  readonly actor: string
  readonly tenant: string
  readonly purpose: string
  readonly action: QueueName
  readonly field: string
  readonly subject: string
}

export interface Decided {
  readonly revision: string
  readonly decisions: readonly Decision[]
}

/** Its questions throw Unavailable where an OPA server does not answer: nothing was decided, and asking again may help. */
export interface Policy {
  /** The tenant the policy data gives an authenticated actor. Undefined: it has none, and all is denied. */
  tenantOf(actor: string): Promise<string | undefined>
  /** One decision per question, in order, all of one revision. What is not a clear yes is a no. */
  decide(questions: readonly Question[]): Promise<Decided>
  /** Resolves if the evaluator answers at all, whatever it says: the probe that closes and reopens the intake. */
  probe(): Promise<void>
  close(): Promise<void>
}

/** What is asked of pino. */
export interface PolicyLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** No actor can have this name, so the answer is a denial; only that there is one matters. */
export const canary: Question = Object.freeze({
  actor: '',
  tenant: '',
  purpose: '',
  action: 'detok',
  field: '',
  subject: '',
})
