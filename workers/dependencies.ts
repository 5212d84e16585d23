import type { Database } from '../shared/db/database.ts'
import type { Dependency } from '../shared/lifecycle/dependency.ts'
import type { Logger } from '../shared/log/log.ts'
import type { Policy } from '../shared/policy/index.ts'
import type { Transit } from '../shared/transit/index.ts'
import type { ReplyQueues } from './reply-queues.ts'

/** The servers of one replica, each with the dependency that guards it. */
export interface Dependencies {
  readonly postgres: { readonly database: Database; readonly guard: Dependency }
  readonly transit: { readonly transit: Transit; readonly guard: Dependency }
  readonly policy: { readonly policy: Policy; readonly guard: Dependency }
  readonly redis: { readonly replies: ReplyQueues; readonly guard: Dependency }
  /** Names this replica in the audit and in logs. */
  readonly workerName: string
  readonly log: Logger
}
