import { once } from 'node:events'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../producers/index.ts'
import { exitCodes } from '../../shared/errors/user-error.ts'
import { startService, stopService } from '../../stack/index.ts'
import { freePort } from '../harness/free-port.ts'
import { tokensOf } from '../harness/outcomes.ts'
import { RawProducer } from '../harness/raw-producer.ts'
import { until } from '../harness/until.ts'
import type { TestActor } from '../harness/vault.ts'
import { TestVault } from '../harness/vault.ts'
import { spawnWorker, startWorker } from '../harness/worker-process.ts'

// A server is taken away, so this file has its own.

let vault: TestVault
let actor: TestActor
let client: Client
let base: string
const purpose = 'test'

beforeAll(async () => {
  vault = await TestVault.openAlone()
  actor = await vault.actor()
  await vault.replica('tokenize')
  base = await observed('detok')
  client = await vault.client(actor)
})
afterAll(() => vault?.close())

/** A worker whose health is served; the address. */
async function observed(queue: 'detok' | 'tokenize', overrides = {}): Promise<string> {
  const address = `127.0.0.1:${await freePort()}`
  await startWorker(vault, queue, { METRICS_ADDR: address, ...overrides })
  return `http://${address}`
}

async function get(path: string, from = base): Promise<{ status: number; text: string }> {
  const response = await fetch(from + path)
  return { status: response.status, text: await response.text() }
}

/** The value of a series, whose labels may stand in any order; 0 if it is not there. */
async function metric(name: string, labels: Record<string, string> = {}, from = base): Promise<number> {
  const { text } = await get('/metrics', from)
  const lines = text.split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line))
  const line = lines.find((each) =>
    Object.entries(labels).every(([label, value]) => each.includes(`${label}="${value}"`)),
  )
  return Number(line?.split(' ').at(-1) ?? 0)
}

test('items are counted by outcome, a corrupt one among them, and nothing of them is told', async () => {
  const values = ['ann@example.com', 'bob@example.com']
  const tokens = tokensOf(
    await client.tokenize(
      values.map((value) => ({ field: 'email', value })),
      { purpose },
    ),
  )
  await vault.postgres.query(
    'update vault.records set ct = set_byte(ct, 20, get_byte(ct, 20) # 1) where vault.token_text(token) = $1',
    [tokens[1]],
  )
  await client.detok([...tokens, `tok_${'0'.repeat(26)}`], { purpose })
  expect(await metric('pii_vault_items_total', { outcome: 'ok', queue: 'detok' })).toBe(1)
  expect(await metric('pii_vault_items_total', { outcome: 'corrupt' })).toBe(1)
  expect(await metric('pii_vault_items_total', { outcome: 'not_found' })).toBe(1)
  expect(await metric('pii_vault_batch_items_total')).toBe(3)
  expect(await metric('pii_vault_transit_calls_total')).toBeGreaterThan(0)
  expect(await metric('pii_vault_stage_seconds_count', { stage: 'job' })).toBe(1)
  const { text } = await get('/metrics')
  for (const secret of [...values, ...tokens, actor.name]) expect(text).not.toContain(secret)
})

test('refused requests are counted by code, and whether they could be answered', async () => {
  const raw = new RawProducer(vault, actor)
  const expired = await raw.request('detok', { purpose, items: [{ token: 'x' }] }, { exp: 1 })
  await raw.put(expired)
  await raw.reply(expired)
  const forged = await raw.request('detok', { purpose, items: [{ token: 'x' }] })
  await raw.put(forged, { data: { ...forged.envelope, exp: forged.envelope.exp + 1 } })
  await raw.deadLetter('detok', forged.envelope.id)
  expect(await metric('pii_vault_requests_refused_total', { code: 'expired', answered: 'true' })).toBe(1)
  expect(await metric('pii_vault_requests_refused_total', { code: 'unauthenticated', answered: 'false' })).toBe(1)
})

test('a replica is live and ready, and no longer ready while a server is down', async () => {
  expect(await get('/livez')).toMatchObject({ status: 200 })
  expect(await get('/readyz')).toEqual({ status: 200, text: '{"ready":true,"state":"open","down":[]}\n' })
  await stopService(vault.stack.directory, 'postgres')
  const asked = client.detok([`tok_${'0'.repeat(26)}`], { purpose, timeoutMs: 60_000 })
  await until('it is closed', async () => (await get('/readyz')).status === 503)
  expect(JSON.parse((await get('/readyz')).text)).toEqual({ ready: false, state: 'closed', down: ['postgres'] })
  expect(await metric('pii_vault_dependency_up', { dependency: 'postgres' })).toBe(0)
  expect(await metric('pii_vault_dependency_up', { dependency: 'redis' })).toBe(1)
  expect(await get('/livez')).toMatchObject({ status: 200 })
  await startService(vault.stack.directory, 'postgres')
  await until('it is open again', async () => (await get('/readyz')).status === 200)
  expect(await asked).toMatchObject([{ ok: false, code: 'not_found' }])
})

test('a policy bundle that was altered is not taken, and counted', async () => {
  const policy = await mkdtemp(join(tmpdir(), 'pii-vault-policy-'))
  vault.onClose(() => rm(policy, { recursive: true, force: true }))
  await cp(vault.policyDirectory, policy, { recursive: true })
  const from = await observed('detok', { POLICY: policy })
  await writeFile(join(policy, 'data.json'), '{"actors":')
  await until('it is counted', async () => (await metric('pii_vault_policy_bundles_rejected_total', {}, from)) === 1)
  expect(await get('/readyz', from)).toMatchObject({ status: 200 })
})

test('what is asked for otherwise is refused', async () => {
  expect((await get('/metric')).status).toBe(404)
  expect((await get('//')).status).toBe(404)
  expect((await fetch(`${base}/readyz`, { method: 'POST' })).status).toBe(405)
})

test('a port that is in use is said at the start, with exit code 2', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const worker = spawnWorker(vault, 'detok', { METRICS_ADDR: `127.0.0.1:${port}` })
  expect(await worker.exited).toBe(exitCodes.usage)
  expect(worker.stderr).toContain(`METRICS_ADDR: 127.0.0.1:${port} cannot be listened on (EADDRINUSE)`)
  other.close()
})
