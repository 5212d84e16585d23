import type { WorkerConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { kekName } from '../shared/contract/names.ts'
import { Database } from '../shared/db/database.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Closing } from '../shared/lifecycle/closing.ts'
import { Dependency } from '../shared/lifecycle/dependency.ts'
import type { Logger } from '../shared/log/log.ts'
import { openPolicy } from '../shared/policy/index.ts'
import { connected, connectQueue } from '../shared/queue/connection.ts'
import { openTransit, secretIdFromFile } from '../shared/transit/index.ts'
import type { Dependencies } from './dependencies.ts'
import { ReplyQueues } from './reply-queues.ts'

/** Lookups, audit rows and transactions of a replica: two statements in flight each, and one to spare for the probe. */
const databaseConnections = 6

export interface Connections {
  readonly dependencies: Dependencies
  /** Each guard, for whoever wants to know whether all are up. */
  readonly guards: readonly Dependency[]
}

/** Opens what a replica needs. Each is given to `closing` at once, so that a failure half-way leaves nothing open. */
export async function openDependencies(
  queue: QueueName,
  config: WorkerConfig,
  context: { workerName: string; log: Logger; closing: Closing; onIntakeChange: () => void },
): Promise<Connections> {
  const { workerName, log, closing, onIntakeChange } = context
  const guards: Dependency[] = []
  const guard = (name: string, probe: () => Promise<void>): Dependency => {
    const dependency = new Dependency({ name, probe, log, onChange: onIntakeChange })
    guards.push(dependency)
    return dependency
  }

  const database = new Database(config.databaseUrl, log, databaseConnections)
  closing.onClose('postgres', () => database.close())

  const approle = { roleId: config.roleId, secretId: secretIdFromFile(config.secretIdFile) }
  const { transit, close: closeTransit } = openTransit(config.transit, approle)
  closing.onClose('transit', closeTransit)

  const policy = await openPolicy({ ...config.policy, log })
  closing.onClose('policy', () => policy.close())

  const connection = connectQueue(config.queue.url, log, 'impatient')
  const replies = new ReplyQueues(connection, config.queue.prefix, workerName)
  closing.onClose('replies', () => replies.close())
  await connected(connection)

  const operation = queue === 'detok' ? 'decrypt' : 'encrypt'
  const dependencies: Dependencies = {
    postgres: { database, guard: guard('postgres', () => database.probe()) },
    transit: { transit, guard: guard('transit', () => transit.probe(operation, kekName)) },
    policy: { policy, guard: guard('policy', () => policy.probe()) },
    redis: { replies, guard: guard('redis', () => replies.probe()) },
    workerName,
    log,
  }
  await Promise.all(guards.map((each) => assertReachable(each, config)))
  return { dependencies, guards }
}

/** What is missing at the start is more often a mistake than an outage, so it is said instead of waited for. */
async function assertReachable({ name, check }: Dependency, config: WorkerConfig): Promise<void> {
  const failure = await check()
  if (failure instanceof UserError) throw failure
  if (failure !== undefined) throw new UserError(`${failure.message}\n${advice(name, config)}`)
}

function advice(name: string, { queue, databaseUrl, transit, policy }: WorkerConfig): string {
  switch (name) {
    case 'postgres':
      return `Postgres at ${host(databaseUrl)} (DATABASE_URL) cannot be used: is it running and writable, and was \`pii-vault setup\` run on it?`
    case 'transit':
      return `OpenBao at ${host(transit.address)} (TRANSIT_ADDR) cannot be used: is it running and unsealed, and was \`pii-vault setup\` run on it?`
    case 'redis':
      return `Redis at ${host(queue.url)} (QUEUE_URL) cannot be used: is it running, and are user and password right?`
    default:
      return `The policy at ${policy.location} (POLICY) does not answer.`
  }
}

/** Never the whole URL: it may hold a password. */
const host = (url: string): string => URL.parse(url)?.host ?? 'its address'
