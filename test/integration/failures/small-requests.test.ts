import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { mintToken } from '../../../shared/crypto/token.ts'
import { IntakeWorker } from '../../../workers/intake.ts'
import type { Replica } from '../../../workers/replica.ts'
import { withAuditBlocked } from '../../harness/audit-lock.ts'
import { until } from '../../harness/until.ts'
import { TestVault } from '../../harness/vault.ts'

// The audit's table is locked, so that nothing in hand is done; hence a stack of its own.

let vault: TestVault
let client: Client

beforeAll(async () => {
  vault = await TestVault.openAlone()
  client = await vault.client(await vault.actor())
})
afterAll(() => vault?.close())

const submit = (items: number) =>
  client.submit('detok', Array.from({ length: items }, mintToken), { purpose: 'test', timeoutMs: 120_000 })

async function active(): Promise<string[]> {
  return (await vault.queue('detok').getActive()).map(({ id }) => id ?? '').sort()
}

async function drained(replica: Replica | undefined): Promise<void> {
  await until('all are done', async () => (await vault.queue('detok').getJobs()).length === 0)
  await replica?.close(5_000)
}

const idsOf = (tickets: { id: string }[]) => tickets.map(({ id }) => id).sort()

test('a worker that is full of bulk requests takes in small ones, and no more bulk', async () => {
  const replica = await vault.replica('detok')
  await withAuditBlocked(vault, async (blocked) => {
    const bulk = [await submit(1_000), await submit(1_000)]
    await blocked()
    await until('both are in hand', async () => (await active()).length === 2)
    const more = await submit(1_000)
    const small = [await submit(1), await submit(20)]
    await until('the small ones are in hand', async () => (await active()).length === 4)
    expect(await active()).toEqual(idsOf([...bulk, ...small]))
    expect(await vault.queue('detok').getJobState(more.id)).toBe('prioritized')
  })
  await drained(replica)
})

test('by hand a worker never takes bulk, also when another was faster with the small request that it saw', async () => {
  const connection = vault.redis.duplicate({ maxRetriesPerRequest: null })
  const worker = new IntakeWorker('detok', async () => undefined, { connection, prefix: vault.prefix, autorun: false })
  try {
    await worker.waitUntilReady()
    const bulk = await submit(1_000)
    expect(await worker.fetchAheadOfBulk('a token')).toBeUndefined()
    const small = await submit(1)
    expect(await worker.fetchAheadOfBulk('a token')).toMatchObject({ id: small.id })
    expect(await vault.queue('detok').getJobState(bulk.id)).toBe('prioritized')
  } finally {
    await worker.close(true)
    connection.disconnect()
    await vault.queue('detok').obliterate({ force: true })
  }
})

test('a flood of small requests does not become more than a worker can hold', async () => {
  const replica = await vault.replica('detok')
  await withAuditBlocked(vault, async (blocked) => {
    const requests = await Promise.all(Array.from({ length: 200 }, () => submit(20)))
    await blocked()
    // 64 fill it; by hand it takes 32 more, and then no more.
    await until('it takes no more', async () => (await active()).length >= 96)
    const more = await submit(1)
    await vault.queue('detok').getJobState(more.id)
    expect((await active()).length).toBe(96)
    expect(requests.length).toBeGreaterThan(96)
  })
  await drained(replica)
})

test('small requests go ahead of bulk ones that came before them', async () => {
  const bulk = [await submit(1_000), await submit(1_000), await submit(1_000)]
  const small = await submit(1)
  let replica: Replica | undefined
  await withAuditBlocked(vault, async (blocked) => {
    replica = await vault.replica('detok')
    await blocked()
    await until('it is full', async () => (await active()).length === 3)
    expect(await active()).toEqual(idsOf([small, ...bulk.slice(0, 2)]))
  })
  await drained(replica)
})

test('a worker that leaves while it is full answers the small request that it took in', async () => {
  const replica = await vault.replica('detok')
  let small: Awaited<ReturnType<typeof submit>> | undefined
  let left: Promise<void> | undefined
  await withAuditBlocked(vault, async (blocked) => {
    await submit(1_000)
    await submit(1_000)
    await blocked()
    small = await submit(1)
    await until('all are in hand', async () => (await active()).length === 3)
    left = replica.close(10_000)
  })
  await left
  expect(await vault.queue('detok').getJobs()).toEqual([])
  expect(await client.collect(small as NonNullable<typeof small>)).toMatchObject([{ code: 'not_found' }])
})
