import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { deadLetterQueueName } from '../../../shared/contract/names.ts'
import type { ServiceName } from '../../../stack/index.ts'
import { startService, stopService } from '../../../stack/index.ts'
import { CountingProxy } from '../../harness/counting-proxy.ts'
import { Load } from '../../harness/load.ts'
import { until } from '../../harness/until.ts'
import { TestVault } from '../../harness/vault.ts'
import { WatchedReplica } from '../../harness/watched-replica.ts'

// Servers are really taken away, so this file has its own.

let vault: TestVault
let client: Client
let replicas: WatchedReplica[]
let proxies: Record<ServiceName, CountingProxy>

beforeAll(async () => {
  vault = await TestVault.openAlone()
  const { stack } = vault
  const actor = await vault.actor()
  const databaseUrl = vault.environment('detok')['DATABASE_URL'] ?? ''
  proxies = {
    postgres: await CountingProxy.before(databaseUrl),
    openbao: await CountingProxy.before(stack.transitAddr),
    valkey: await CountingProxy.before(stack.queueUrl),
  }
  for (const proxy of Object.values(proxies)) vault.onClose(() => proxy.close())
  replicas = await Promise.all(
    (['detok', 'tokenize'] as const).map((queue) =>
      WatchedReplica.start(vault, queue, {
        DATABASE_URL: proxies.postgres.via(vault.environment(queue)['DATABASE_URL'] ?? ''),
        TRANSIT_ADDR: proxies.openbao.via(stack.transitAddr),
        QUEUE_URL: proxies.valkey.via(stack.queueUrl),
      }),
    ),
  )
  client = await vault.client(actor)
})
beforeEach(() => {
  for (const { lines } of replicas) lines.length = 0
})
afterAll(() => vault?.close())

const longMs = 60_000
/** The answer to a fetch may be lost with the server. The job is then in nobody's hands, and found when its lock has ended. */
const lockEndMs = 90_000
const down = 'dependency down: intake closed'
const up = 'dependency up: intake open'

async function expectNothingFailed(): Promise<void> {
  for (const name of ['detok', 'tokenize'] as const) {
    const queue = vault.queue(name)
    await until('all jobs are done', async () => (await queue.getJobCountByTypes('waiting', 'active', 'delayed')) === 0)
    expect(await queue.getFailedCount(), 'no job failed').toBe(0)
    expect(await vault.queue(deadLetterQueueName(name)).getJobs(), 'none was given up').toEqual([])
  }
  expect(replicas.flatMap(({ troubles }) => troubles)).toEqual([])
  expect(replicas.flatMap(({ fatal }) => fatal)).toEqual([])
}

/** The attempts that jobs have used up so far. */
async function attemptsUsed(): Promise<number[]> {
  const queues = [vault.queue('detok'), vault.queue('tokenize')]
  const jobs = (await Promise.all(queues.map((queue) => queue.getJobs(['waiting', 'active', 'delayed'])))).flat()
  return jobs.filter((job) => job !== undefined).map(({ attemptsMade }) => attemptsMade)
}

interface Outage {
  readonly name: string
  readonly dependency: string
  readonly begin: () => Promise<unknown>
  readonly end: () => Promise<unknown>
  /** Counts what reaches the server, or would. */
  readonly knocks: () => number
}
const outages: Outage[] = [
  {
    name: 'Postgres stopped',
    dependency: 'postgres',
    begin: () => stopService(vault.stack.directory, 'postgres'),
    end: () => startService(vault.stack.directory, 'postgres'),
    knocks: () => proxies.postgres.connections,
  },
  {
    name: 'OpenBao stopped',
    dependency: 'transit',
    begin: () => stopService(vault.stack.directory, 'openbao'),
    end: () => startService(vault.stack.directory, 'openbao'),
    knocks: () => proxies.openbao.connections,
  },
  {
    name: 'OpenBao sealed',
    dependency: 'transit',
    begin: () => vault.bao.write('sys/seal', {}),
    end: () => startService(vault.stack.directory, 'openbao'),
    knocks: () => replicas.reduce((sum, { replica }) => sum + replica.figures.transitCalls, 0),
  },
]

test.each(outages)(
  '$name: the intake closes and opens by itself, and no job is lost or failed',
  { timeout: longMs },
  async (outage) => {
    const load = await Load.start(vault, client)
    await load.more(20)
    await outage.begin()
    await Promise.all(replicas.map((replica) => replica.said(down, outage.dependency)))
    expect((await attemptsUsed()).filter((attempts) => attempts > 0)).toEqual([])

    const [before, since] = [outage.knocks(), Date.now()]
    await until('both have asked for it again', () => outage.knocks() >= before + 6)
    expect(Date.now() - since, 'they ask with growing pauses').toBeGreaterThan(400)

    await outage.end()
    await Promise.all(replicas.map((replica) => replica.said(up, outage.dependency)))
    await load.more(20)
    expect(await load.end()).toEqual([])
    await expectNothingFailed()
  },
)

test('Valkey stopped: what is in hand is finished when it is back, and no job is lost or failed', {
  timeout: longMs + lockEndMs,
}, async () => {
  const load = await Load.start(vault, client, { timeoutMs: longMs + lockEndMs })
  await load.more(20)
  await stopService(vault.stack.directory, 'valkey')
  const [before, since] = [proxies.valkey.connections, Date.now()]
  await until('they have asked for it again', () => proxies.valkey.connections >= before + 30)
  expect(Date.now() - since, 'they ask with growing pauses').toBeGreaterThan(400)
  await startService(vault.stack.directory, 'valkey')
  await load.more(20)
  expect(await load.end()).toEqual([])
  await expectNothingFailed()
})
