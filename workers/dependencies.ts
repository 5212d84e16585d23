import type { Database } from '../shared/db/database.ts'
import type { Dependency } from '../shared/lifecycle/dependency.ts'
import type { Logger } from '../shared/log/log.ts'
import type { Policy } from '../shared/policy/index.ts'
import type { Transit } from '../shared/transit/index.ts'
import type { Metrics } from './metrics.ts'
import type { ReplyQueues } from './reply-queues.ts'
import type { Timings } from './timings.ts'

/** The servers of one replica. Each can be asked only by way of its dependency, which knows when it is down. */
export interface Dependencies {
  readonly postgres: Dependency<Database>
  readonly transit: Dependency<Transit>
  readonly policy: Dependency<Policy>
  readonly redis: Dependency<ReplyQueues>
  /** Names this replica in the audit and in logs. */
  readonly workerName: string
  readonly timings: Timings
  readonly metrics: Metrics
  readonly log: Logger
}

export const serversOf = ({ postgres, transit, policy, redis }: Dependencies) =>
  [postgres, transit, policy, redis] as const
