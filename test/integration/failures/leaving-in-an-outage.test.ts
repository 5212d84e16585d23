import { afterAll, beforeAll, expect, test } from 'vitest'
import { withAuditBlocked } from '../../harness/audit-lock.ts'
import type { Child } from '../../harness/child.ts'
import { CountingProxy } from '../../harness/counting-proxy.ts'
import { RawProducer } from '../../harness/raw-producer.ts'
import { TestVault } from '../../harness/vault.ts'
import { expireLocks, startWorker } from '../../harness/worker-process.ts'

/*
 * A worker is asked to leave while a server is away and a job is in its hands. Each of these takes as long as leaving may
 * take, so they run side by side, each in a vault of its own; on servers of its own where it blocks the audit.
 */

const leaveWithinMs = 25_000
const asking = { purpose: 'test', items: [{ token: `tok_${'0'.repeat(26)}` }] }
const answer = { items: [{ error: 'not_found' }] }
const vaults = new Map<string, TestVault>()

beforeAll(async () => {
  const open = async (name: string, vault: Promise<TestVault>) => vaults.set(name, await vault)
  await Promise.all([
    open('Postgres', TestVault.open()),
    open('cut', TestVault.openAlone()),
    open('silence', TestVault.openAlone()),
  ])
})
afterAll(async () => {
  await Promise.all(Array.from(vaults.values(), (vault) => vault.close()))
})

async function prepared(name: string) {
  const vault = vaults.get(name) as TestVault
  const raw = new RawProducer(vault, await vault.actor())
  return { vault, raw, request: await raw.request('detok', asking) }
}

async function proxyBefore(vault: TestVault, url: string): Promise<CountingProxy> {
  const proxy = await CountingProxy.before(url)
  vault.onClose(() => proxy.close())
  return proxy
}

/** Asks it to leave: the exit code, and that it came in time. */
async function expectToLeave(worker: Child): Promise<void> {
  const since = Date.now()
  expect(await worker.stop('SIGTERM')).toBe(0)
  expect(Date.now() - since).toBeLessThan(leaveWithinMs + 2_000)
}

const timeout = 60_000

test.concurrent('SIGTERM while Postgres is down: it leaves in time, and what it had goes back to the queue', {
  timeout,
}, async () => {
  const { vault, raw, request } = await prepared('Postgres')
  const databaseUrl = vault.environment('detok')['DATABASE_URL'] ?? ''
  const proxy = await proxyBefore(vault, databaseUrl)
  const worker = await startWorker(vault, 'detok', { DATABASE_URL: proxy.via(databaseUrl) })
  proxy.cut()
  await raw.put(request)
  await worker.said('dependency down: intake closed')
  await expectToLeave(worker)
  const job = await raw.queue('detok').getJob(request.envelope.id)
  expect(await job?.getState()).toBe('waiting')
  expect(job?.attemptsMade).toBe(0)
  await vault.replica('detok')
  expect(await raw.reply(request)).toEqual(answer)
})

test.concurrent.each(['cut', 'silence'])(
  'SIGTERM while Redis is unreachable (%s): it leaves in time, and another replica answers what it had',
  { timeout },
  async (outage) => {
    const { vault, raw, request } = await prepared(outage)
    const { queueUrl } = vault.stack
    const proxy = await proxyBefore(vault, queueUrl)
    const worker = await startWorker(vault, 'detok', { QUEUE_URL: proxy.via(queueUrl) })
    await withAuditBlocked(vault, async (blocked) => {
      await raw.put(request)
      await blocked()
      if (outage === 'cut') proxy.cut()
      else proxy.silence()
      await expectToLeave(worker)
    })
    expect(await raw.jobsOn(request.envelope.reply), 'it was not answered before').toEqual([])
    expect(await expireLocks(vault, 'detok', worker.pid), 'it was still in its hands').toBe(1)
    await vault.replica('detok')
    expect(await raw.reply(request)).toEqual(answer)
  },
)
