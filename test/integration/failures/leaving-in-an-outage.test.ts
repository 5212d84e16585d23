import { afterAll, beforeAll, expect, test } from 'vitest'
import { CountingProxy } from '../../harness/counting-proxy.ts'
import { RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import { expireLocks, startWorker } from '../../harness/worker-process.ts'

// Each of these takes as long as leaving may take, so they run side by side, each in a vault of its own.

const leaveWithinMs = 25_000
const purpose = 'test'
const vaults: TestVault[] = []
const open: { vault: TestVault; actor: TestActor; raw: RawProducer }[] = []

beforeAll(async () => {
  for (let i = 0; i < 3; i++) {
    const vault = await TestVault.open()
    vaults.push(vault)
    const actor = await vault.actor()
    open.push({ vault, actor, raw: new RawProducer(vault, actor) })
  }
})
afterAll(async () => {
  for (const vault of vaults) await vault.close()
})

async function proxyBefore(vault: TestVault, url: string): Promise<CountingProxy> {
  const proxy = await CountingProxy.before(url)
  vault.onClose(() => proxy.close())
  return proxy
}

/** Asks it to leave: the exit code, and that it came in time. */
async function expectToLeave(worker: { stop(signal: 'SIGTERM'): Promise<number | null> }): Promise<void> {
  const since = Date.now()
  expect(await worker.stop('SIGTERM')).toBe(0)
  expect(Date.now() - since).toBeLessThan(leaveWithinMs + 2_000)
}

const timeout = 60_000

test.concurrent('SIGTERM while Postgres is down: it leaves in time, and what it had goes back to the queue', {
  timeout,
}, async () => {
  const { vault, raw } = open[0] as (typeof open)[0]
  const databaseUrl = vault.environment('detok')['DATABASE_URL'] ?? ''
  const proxy = await proxyBefore(vault, databaseUrl)
  const worker = await startWorker(vault, 'detok', { DATABASE_URL: proxy.via(databaseUrl) })
  proxy.cut()
  const request = await raw.request('detok', { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] })
  await raw.put(request)
  await worker.said('dependency down: intake closed')
  await expectToLeave(worker)
  const job = await raw.queue('detok').getJob(request.envelope.id)
  expect(await job?.getState()).toBe('waiting')
  expect(job?.attemptsMade).toBe(0)
  await vault.replica('detok')
  expect(await raw.reply(request)).toEqual({ items: [{ error: 'not_found' }] })
})

test.concurrent.each(['cut', 'silence'] as const)(
  'SIGTERM while Redis is unreachable (%s): it leaves in time, and another replica answers',
  { timeout },
  async (outage) => {
    const { vault, raw } = open[outage === 'cut' ? 1 : 2] as (typeof open)[0]
    const { queueUrl } = vault.stack
    const proxy = await proxyBefore(vault, queueUrl)
    const worker = await startWorker(vault, 'detok', { QUEUE_URL: proxy.via(queueUrl) })
    const request = await raw.request('detok', { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] })
    await raw.put(request)
    // It may have been answered already: then leaving is all that there is to see.
    await until('it was taken', async () => (await raw.queue('detok').getWaitingCount()) === 0)
    proxy[outage]()
    await expectToLeave(worker)
    await vault.replica('detok')
    await expireLocks(vault, 'detok', worker.pid)
    expect(await raw.reply(request)).toEqual({ items: [{ error: 'not_found' }] })
  },
)
