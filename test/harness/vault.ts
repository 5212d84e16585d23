import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { inject } from 'vitest'
import type { Client } from '../../producers/index.ts'
import { createClient } from '../../producers/index.ts'
import { addActor, OpenBaoAdmin, QueueUsers, workerFile } from '../../provision/index.ts'
import type { WorkerConfig } from '../../shared/config/environment.ts'
import { readWorkerConfig } from '../../shared/config/environment.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { Secret } from '../../shared/crypto/secret.ts'
import { createLogger } from '../../shared/log/log.ts'
import { Replica } from '../../workers/replica.ts'
import type { TestStack } from '../stack.ts'
import { startTestStack } from '../stack.ts'
import { CleanUp } from './clean-up.ts'

const bundle = fileURLToPath(new URL('../../policy/bundle', import.meta.url))

export interface Grants {
  readonly tenant: string
  readonly grants: Record<string, { actions: string[]; purposes: string[]; fields: Record<string, string> }>
}
const everything: Grants['grants'] = {
  all: { actions: ['tokenize', 'detok'], purposes: ['*'], fields: { '*': 'full' } },
}

export interface TestActor {
  readonly name: string
  readonly tenant: string
  readonly roleId: string
  readonly secretId: Secret
  /** The queue as this actor's user. */
  readonly queueUrl: string
}

/**
 * A vault for one test file: a queue prefix, actors, tenants and a policy of its own, so that files run side by side on the
 * shared servers. `close` ends and removes what was made here.
 */
export class TestVault {
  readonly id = randomBytes(4).toString('hex')
  readonly prefix = `test-${this.id}`
  readonly stack: TestStack
  readonly redis: Redis
  /** As the superuser. */
  readonly postgres: Pool
  readonly bao: OpenBaoAdmin
  readonly queueUsers: QueueUsers
  readonly #cleanUp = new CleanUp()
  readonly #queues = new Map<string, Queue>()
  readonly #actors: Record<string, Grants> = {}
  policyDirectory = ''

  private constructor(stack: TestStack) {
    this.stack = stack
    this.redis = new Redis(stack.queueUrl, { maxRetriesPerRequest: null })
    this.postgres = new Pool({ connectionString: stack.databaseUrl, max: 3 })
    this.bao = new OpenBaoAdmin({ address: stack.transitAddr }, new Secret(stack.rootToken))
    this.queueUsers = new QueueUsers({ url: stack.queueUrl, prefixes: [this.prefix, `${this.prefix}-*`] })
    // A file may take the servers away: what is asked of them meanwhile tells.
    this.redis.on('error', () => undefined)
    this.postgres.on('error', () => undefined)
  }

  /** On the servers that all tests share. */
  static async open(): Promise<TestVault> {
    return TestVault.#openOn(inject('stack'))
  }

  /** On servers of its own, for tests that stop them, lock them or look at all they hold. They go with the vault. */
  static async openAlone(): Promise<TestVault> {
    const { stack, stop } = await startTestStack()
    return TestVault.#openOn(stack, stop)
  }

  static async #openOn(stack: TestStack, stop?: () => Promise<void>): Promise<TestVault> {
    const vault = new TestVault(stack)
    if (stop !== undefined) vault.onClose(stop)
    vault.onClose(() => vault.postgres.end())
    vault.onClose(() => vault.bao.close())
    vault.onClose(async () => vault.queueUsers.close())
    vault.onClose(async () => vault.redis.disconnect())
    vault.onClose(() => Promise.all(Array.from(vault.#queues.values(), (queue) => queue.close())))
    try {
      vault.policyDirectory = await mkdtemp(join(tmpdir(), 'pii-vault-policy-'))
      vault.onClose(() => rm(vault.policyDirectory, { recursive: true, force: true }))
      await cp(bundle, vault.policyDirectory, { recursive: true })
      await vault.writePolicy({})
      vault.onClose(() => vault.#removeKeys())
      return vault
    } catch (error) {
      await vault.close()
      throw error
    }
  }

  /** A producer's identity, in a tenant of its own unless told, that may do everything unless told. To be made before the replicas. */
  async actor(
    name = 'app',
    { tenant = `tenant-${this.id}`, grants = everything }: Partial<Grants> = {},
  ): Promise<TestActor> {
    const actor = `${name}-${this.id}`
    this.#actors[actor] = { tenant, grants }
    await this.writePolicy(this.#actors)
    return { name: actor, tenant, ...(await this.credentials(actor)) }
  }

  async credentials(actor: string): Promise<Omit<TestActor, 'name' | 'tenant'>> {
    const { roleId, secretId } = await addActor(this.bao, actor, () => undefined)
    const queueUrl = await this.queueUsers.addActor(actor, () => undefined)
    return { roleId, secretId: new Secret(secretId), queueUrl }
  }

  config(queue: QueueName, overrides: Record<string, string> = {}): WorkerConfig {
    return readWorkerConfig({ ...this.environment(queue), ...overrides })
  }

  /** The environment of a worker of this pool. */
  environment(queue: QueueName): Record<string, string> {
    return {
      QUEUE_PREFIX: this.prefix,
      TRANSIT_ADDR: this.stack.transitAddr,
      POLICY: this.policyDirectory,
      LOG_LEVEL: 'silent',
      ...(parseEnv(readFileSync(workerFile(this.stack.credentials, queue), 'utf8')) as Record<string, string>),
    }
  }

  async replica(
    queue: QueueName,
    overrides: Record<string, string> = {},
    onFatal: (error: unknown) => void = () => undefined,
  ): Promise<Replica> {
    const config = this.config(queue, overrides)
    const log = createLogger(config.logLevel, 'test')
    const replica = await Replica.start({ queue, config, log, onFatal })
    this.onClose(() => replica.close(5_000))
    return replica
  }

  async client({ name: actor, roleId, secretId, queueUrl }: TestActor, replyName?: string): Promise<Client> {
    const client = await createClient({
      queue: { url: queueUrl, prefix: this.prefix },
      transit: { address: this.stack.transitAddr },
      credentials: { actor, roleId, secretId },
      ...(replyName === undefined ? {} : { replyName }),
    })
    this.onClose(() => client.close())
    return client
  }

  /** One of BullMQ's queues, on the vault's own connection. */
  queue(name: string): Queue {
    const known = this.#queues.get(name)
    if (known !== undefined) return known
    const queue = new Queue(name, { connection: this.redis, prefix: this.prefix })
    queue.on('error', () => undefined)
    this.#queues.set(name, queue)
    return queue
  }

  /** Audit rows of an actor, authenticated or claimed, in the order of their items. */
  async audit(actor: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.postgres.query<Record<string, unknown>>(
      'select * from vault.audit where actor = $1 or claimed_actor = $1 order by at, request_id, attempt, item',
      [actor],
    )
    return rows
  }

  /** Steps are taken in the reverse order of their being given. */
  onClose(step: () => Promise<unknown>): void {
    this.#cleanUp.add(step)
  }

  close(): Promise<void> {
    return this.#cleanUp.run()
  }

  async #removeKeys(): Promise<void> {
    const keys = await this.redis.keys(`${this.prefix}:*`)
    if (keys.length > 0) await this.redis.del(keys)
  }

  private async writePolicy(actors: Record<string, Grants>): Promise<void> {
    await writeFile(join(this.policyDirectory, 'data.json'), JSON.stringify({ actors }))
  }
}
