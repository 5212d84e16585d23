import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import { Load } from '../../harness/load.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import { expireLocks, startWorker } from '../../harness/worker-process.ts'

let vault: TestVault
let actor: TestActor
let client: Client

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  // The replicas that stay.
  await vault.replica('detok')
  await vault.replica('tokenize')
  client = await vault.client(actor)
})
afterAll(() => vault.close())

const startBoth = () => Promise.all(queues.map((queue) => startWorker(vault, queue)))

const itemsBy = async (pid: number): Promise<number> => {
  const { rows } = await vault.postgres.query(
    `select count(*)::int from vault.audit where actor = $1 and worker like $2`,
    [actor.name, `%-${pid}-%`],
  )
  return rows[0].count
}

async function expectAllDone(): Promise<void> {
  for (const queue of queues) {
    const counts = () => vault.queue(queue).getJobCountByTypes('waiting', 'active', 'delayed', 'failed')
    await until(`nothing is left on ${queue}`, async () => (await counts()) === 0)
    expect(await vault.queue(`dead-${queue}`).getJobs()).toEqual([])
  }
}

/** However often a request was run, each of its items is one record under one token, and was audited under no other. */
async function expectOneOutcomeEach(): Promise<void> {
  const { rows } = await vault.postgres.query(
    `select request_id, item from vault.audit where actor = $1 and action = 'tokenize'
     group by request_id, item having count(distinct token) <> 1 or count(distinct outcome) <> 1`,
    [actor.name],
  )
  expect(rows).toEqual([])
}

test('SIGTERM under load: a replica finishes what it has, leaves with code 0, and the others go on', async () => {
  const workers = await startBoth()
  const load = await Load.start(vault, client)
  await load.more(40)
  for (const worker of workers) await until('it took part', async () => (await itemsBy(worker.pid)) > 0)
  const since = Date.now()
  expect(await Promise.all(workers.map((worker) => worker.stop('SIGTERM')))).toEqual([0, 0])
  expect(Date.now() - since, 'nothing kept it').toBeLessThan(10_000)
  for (const worker of workers) expect(worker.stderr).toContain('"jobsLeft":0')
  await load.more(40)
  expect(await load.end()).toEqual([])
  await expectAllDone()
  await expectOneOutcomeEach()
})

test('SIGKILL under load, at any moment: every request is answered, rightly, and none with two outcomes', async () => {
  const load = await Load.start(vault, client)
  const left: Record<QueueName, number> = { detok: 0, tokenize: 0 }
  for (let round = 0; round < 3; round++) {
    const workers = await startBoth()
    for (const worker of workers) await until('it took part', async () => (await itemsBy(worker.pid)) > 0)
    await load.more(Math.floor(Math.random() * 30))
    await Promise.all(workers.map((worker) => worker.stop('SIGKILL')))
    await Promise.all(
      queues.map(async (queue, i) => {
        left[queue] += await expireLocks(vault, queue, workers[i]?.pid ?? 0)
      }),
    )
    await load.more(20)
  }
  expect(await load.end()).toEqual([])
  expect(left.detok + left.tokenize, 'some were killed in the midst of a job').toBeGreaterThan(0)
  await expectAllDone()
  await expectOneOutcomeEach()
}, 60_000)
