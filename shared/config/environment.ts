import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { actorName } from '../contract/grammar.ts'
import { Secret } from '../crypto/secret.ts'
import type { LogLevel } from '../log/log.ts'
import { logLevels } from '../log/log.ts'
import type { OpenBaoAddress } from '../transit/http.ts'
import type { ListenAddress, PolicyLocation } from './addresses.ts'
import {
  readDatabaseUrl,
  readListenAddress,
  readPolicyLocation,
  readQueueUrl,
  readTransitAddress,
  refuseUnverifiedTls,
} from './addresses.ts'
import type { Environment } from './reader.ts'
import { EnvironmentReader } from './reader.ts'

export interface QueueConfig {
  readonly url: string
  readonly prefix: string
}

export interface TimesToLive {
  readonly replySeconds: number
  readonly deadLetterSeconds: number
}

/** What one replica of a worker pool needs. */
export interface WorkerConfig {
  readonly queue: QueueConfig
  readonly databaseUrl: string
  readonly transit: OpenBaoAddress
  readonly roleId: string
  readonly secretIdFile: string
  readonly policy: PolicyLocation
  /** How long what nobody comes for is kept. */
  readonly timesToLive: TimesToLive
  /** Where probes and Prometheus are answered; nowhere if undefined. */
  readonly metricsAddress: ListenAddress | undefined
  readonly logLevel: LogLevel
}

/** What a producer needs: no database and no policy. */
export interface ProducerConfig {
  readonly queue: QueueConfig
  readonly transit: OpenBaoAddress
  readonly credentials: ActorCredentials
}

/** What `actor add --out FILE` writes. */
export interface ActorCredentials {
  readonly actor: string
  readonly roleId: string
  readonly secretId: Secret
}

/** Rights over OpenBao, and over the queue unless that is to be left alone. */
export interface ActorAdminConfig {
  readonly transit: OpenBaoAddress
  readonly token: Secret
  readonly queue: QueueConfig | undefined
}

/** What provisioning needs: rights over Postgres too. */
export interface AdminConfig extends ActorAdminConfig {
  readonly databaseUrl: string
}

export function readWorkerConfig(env: Environment): WorkerConfig {
  const reader = new EnvironmentReader(env)
  refuseUnverifiedTls(reader)
  return reader.finish({
    queue: readQueue(reader),
    databaseUrl: readDatabaseUrl(reader),
    transit: readTransit(reader),
    roleId: reader.required('TRANSIT_ROLE_ID', "the role id of this pool's AppRole, made by `pii-vault setup`"),
    secretIdFile: reader.requiredFile(
      'TRANSIT_SECRET_ID_FILE',
      'a file that holds the secret id, readable by this process alone',
    ),
    policy: readPolicyLocation(reader),
    timesToLive: {
      replySeconds: reader.seconds('REPLY_TTL_S', 86_400),
      deadLetterSeconds: reader.seconds('DEAD_LETTER_TTL_S', 30 * 86_400),
    },
    metricsAddress: readListenAddress(reader, 'METRICS_ADDR'),
    logLevel: reader.oneOf('LOG_LEVEL', logLevels, 'info'),
  })
}

export function readProducerConfig(env: Environment): ProducerConfig {
  const reader = new EnvironmentReader(env)
  refuseUnverifiedTls(reader)
  const file = reader.required('ACTOR_CREDENTIALS_FILE', 'the file that `pii-vault actor add NAME --out FILE` wrote')
  const { queueUrl, ...credentials } = readCredentials(reader, file)
  reader.standIn('QUEUE_URL', queueUrl)
  return reader.finish({ queue: readQueue(reader), transit: readTransit(reader), credentials })
}

export function readQueueConfig(env: Environment): QueueConfig {
  const reader = new EnvironmentReader(env)
  refuseUnverifiedTls(reader)
  return reader.finish(readQueue(reader))
}

export function readAdminConfig(env: Environment): AdminConfig {
  const reader = new EnvironmentReader(env)
  refuseUnverifiedTls(reader)
  return reader.finish({ databaseUrl: readDatabaseUrl(reader), ...readActorAdmin(reader) })
}

export function readActorAdminConfig(env: Environment): ActorAdminConfig {
  const reader = new EnvironmentReader(env)
  refuseUnverifiedTls(reader)
  return reader.finish(readActorAdmin(reader))
}

function readActorAdmin(reader: EnvironmentReader): ActorAdminConfig {
  const meaning = 'an OpenBao token that may write policies, AppRoles and keys'
  return {
    transit: readTransit(reader),
    token: new Secret(reader.required(['BAO_TOKEN', 'VAULT_TOKEN'], meaning)),
    queue: reader.optional('QUEUE_URL') === undefined ? undefined : readQueue(reader),
  }
}

function readQueue(reader: EnvironmentReader): QueueConfig {
  const prefix = reader.matching(
    'QUEUE_PREFIX',
    /^[A-Za-z0-9_.{}-]{1,64}$/,
    'up to 64 letters, digits, - _ . { }',
    'bull',
  )
  return { url: readQueueUrl(reader), prefix }
}

function readTransit(reader: EnvironmentReader): OpenBaoAddress {
  return {
    address: readTransitAddress(reader),
    namespace: reader.optional('BAO_NAMESPACE', 'VAULT_NAMESPACE'),
    caFile: reader.file('BAO_CACERT', 'VAULT_CACERT'),
  }
}

const credentialsFile = z.object({
  actor: actorName,
  role_id: z.string().min(1),
  secret_id: z.string().min(1),
  queue_url: z.string().optional(),
})

function readCredentials(reader: EnvironmentReader, file: string): ActorCredentials & { queueUrl?: string } {
  const nothing = { actor: '', roleId: '', secretId: new Secret('') }
  if (file === '') return nothing
  let content: unknown
  try {
    content = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    reader.problem('ACTOR_CREDENTIALS_FILE names a file that cannot be read as JSON')
    return nothing
  }
  const parsed = credentialsFile.safeParse(content)
  if (!parsed.success) {
    reader.problem('ACTOR_CREDENTIALS_FILE names a file without `actor`, `role_id` and `secret_id`')
    return nothing
  }
  const { actor, role_id, secret_id, queue_url } = parsed.data
  const queueUrl = queue_url === undefined ? {} : { queueUrl: queue_url }
  return { actor, roleId: role_id, secretId: new Secret(secret_id), ...queueUrl }
}
