import { Unavailable } from '../errors/server-errors.ts'
import type { Decision } from './decision.ts'

export interface Question {
  actor: string
  tenant: string
  purpose: string
  action: 'tokenize' | 'detok'
  field: string
  subject: string
}

export interface Policy {
  /** The tenant the policy data gives an authenticated actor. Undefined: it has none, and all is denied. */
  tenantOf(actor: string): Promise<string | undefined>
  /** One decision per question, in order, all of one revision. What is not a clear yes is a no. */
  decide(questions: readonly Question[]): Promise<{ revision: string; decisions: Decision[] }>
  /** Resolves if the evaluator answers at all, whatever it says: the probe that closes and reopens the intake. */
  probe(): Promise<void>
  /** How many changed bundles were not taken, since they were broken, not rightly signed, or not newer. */
  readonly rejected: number
  close(): Promise<void>
}

/** What is asked of pino. */
export interface PolicyLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** The evaluator cannot be reached: nothing was decided, and asking again may help. */
export class PolicyUnavailable extends Unavailable {
  constructor(message: string) {
    super('policy', 'unreachable')
    this.message = message
  }
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
