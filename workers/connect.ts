import { hostOf } from '../shared/config/addresses.ts'
import type { WorkerConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { kekName } from '../shared/contract/names.ts'
import { Database } from '../shared/db/database.ts'
import { authoritySettings, certificateProblem } from '../shared/errors/certificates.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import type { DependencyName } from '../shared/errors/server-errors.ts'
import { Unavailable } from '../shared/errors/server-errors.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import type { Closing } from '../shared/lifecycle/closing.ts'
import { Dependency } from '../shared/lifecycle/dependency.ts'
import type { Logger } from '../shared/log/log.ts'
import { openPolicy } from '../shared/policy/index.ts'
import { connected, connectQueue } from '../shared/queue/connection.ts'
import { openTransit, secretIdFromFile } from '../shared/transit/index.ts'
import type { Dependencies } from './dependencies.ts'
import { serversOf } from './dependencies.ts'
import { Metrics } from './metrics.ts'
import { ReplyQueues } from './reply-queues.ts'
import { Timings } from './timings.ts'

/** Lookups, audit rows and transactions of a replica: two statements in flight each, and one to spare for the probe. */
const databaseConnections = 6

export interface Connections {
  readonly dependencies: Dependencies
  readonly transitCalls: () => number
}

/** Opens what a replica needs. Each is given to `closing` at once, so that a failure half-way leaves nothing open. */
export async function connect(
  queue: QueueName,
  config: WorkerConfig,
  { workerName, log, closing }: { workerName: string; log: Logger; closing: Closing },
): Promise<Connections> {
  const database = new Database(config.databaseUrl, log, databaseConnections)
  closing.onClose('postgres', () => database.close())

  const approle = { roleId: config.roleId, secretId: secretIdFromFile(config.secretIdFile) }
  const { transit, close: closeTransit } = openTransit(config.transit, approle)
  closing.onClose('transit', closeTransit)

  const metrics = new Metrics(queue)
  const policy = await openPolicy({ ...config.policy, log, onRejected: () => metrics.policyRejected() })
  closing.onClose('policy', () => policy.close())

  const connection = connectQueue(config.queue.url, log, 'impatient')
  const replies = new ReplyQueues(connection, config.queue.prefix, workerName)
  closing.onClose('replies', () => replies.close())
  const refused = errorCode(await connected(connection))

  const operation = queue === 'detok' ? 'decrypt' : 'encrypt'
  const dependencies: Dependencies = {
    postgres: new Dependency({ name: 'postgres', server: database, probe: (it) => it.probe(), log }),
    transit: new Dependency({ name: 'transit', server: transit, probe: (it) => it.probe(operation, kekName), log }),
    policy: new Dependency({ name: 'policy', server: policy, probe: (it) => it.probe(), log }),
    redis: new Dependency({ name: 'redis', server: replies, probe: (it) => it.probe(), log }),
    workerName,
    timings: new Timings((stage, milliseconds) => metrics.stage(stage, milliseconds)),
    metrics,
    log,
  }
  await Promise.all(serversOf(dependencies).map((server) => assertReachable(server, config, refused)))
  return { dependencies, transitCalls: () => transit.calls }
}

/**
 * What is missing at the start is more often a mistake than an outage, so it is said instead of waited for. `queueCode`: of
 * the first attempt to connect to Redis, as its client tells those who ask later only that there is no connection.
 */
async function assertReachable(
  server: Pick<Dependency<unknown>, 'name' | 'check'>,
  config: WorkerConfig,
  queueCode: string | undefined,
): Promise<void> {
  const failure = await server.check()
  if (failure instanceof UserError) throw failure
  if (failure === undefined) return
  const refused = failure instanceof Unavailable && failure.reason === 'refused our credentials'
  const code = server.name === 'redis' ? queueCode : failure instanceof Unavailable ? failure.code : undefined
  const where = placeOf(server.name, config)
  const problem = certificateProblem(code, authoritySettings[server.name])
  throw new UserError(
    problem === undefined ? `${failure.message}\n${where} ${advice[server.name]}` : `${where} ${problem}`,
    refused ? exitCodes.credentials : exitCodes.failed,
  )
}

function placeOf(name: DependencyName, { queue, databaseUrl, transit, policy }: WorkerConfig): string {
  switch (name) {
    case 'postgres':
      return `Postgres at ${hostOf(databaseUrl)} (DATABASE_URL)`
    case 'transit':
      return `OpenBao at ${hostOf(transit.address)} (TRANSIT_ADDR)`
    case 'redis':
      return `Redis at ${hostOf(queue.url)} (QUEUE_URL)`
    case 'policy':
      return `The policy at ${policy.location} (POLICY)`
  }
}

const advice: Record<DependencyName, string> = {
  postgres:
    'cannot be used: is it running and writable, are user and password right, and was `pii-vault setup` run on it?',
  transit: 'cannot be used: is it running and unsealed, and was `pii-vault setup` run on it?',
  redis:
    'cannot be used: is it running, are user and password right, and may this user use the keys under QUEUE_PREFIX?',
  policy: 'does not answer.',
}
