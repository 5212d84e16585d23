import { afterAll, beforeAll, expect, test } from 'vitest'
import { withAuditBlocked } from '../../harness/audit-lock.ts'
import { RawProducer } from '../../harness/raw-producer.ts'
import { TestVault } from '../../harness/vault.ts'

// The audit's table is locked, and the KEK rotated, so this file has a stack of its own.

let vault: TestVault
let raw: RawProducer
const purpose = 'test'

beforeAll(async () => {
  vault = await TestVault.openAlone()
  const actor = await vault.actor()
  await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
})
afterAll(() => vault?.close())

async function tokenize(...values: string[]): Promise<string[]> {
  const items = values.map((value) => ({ field: 'note', value }))
  const request = await raw.request('tokenize', { purpose, items })
  await raw.put(request)
  const reply = (await raw.reply(request)) as { items: { token: string }[] }
  return reply.items.map(({ token }) => token)
}

test.each(['detok', 'tokenize'] as const)('no %s answer leaves before its audit is committed', async (queue) => {
  const [token] = await tokenize('a')
  const content = queue === 'detok' ? { items: [{ token }] } : { items: [{ field: 'note', value: 'b' }] }
  const request = await raw.request(queue, { purpose, ...content })
  const refused = await raw.request(queue, { purpose, items: [] }, { items: 1 })
  await withAuditBlocked(vault, async (blocked) => {
    const before = await raw.jobsOn(request.envelope.reply)
    await raw.put(request)
    await raw.put(refused)
    await blocked()
    expect(await raw.jobsOn(request.envelope.reply)).toEqual(before)
    expect(await raw.queue(queue).getActiveCount()).toBe(2)
    expect(await raw.deadLetterIds(queue, refused.envelope.id)).toEqual([])
  })
  expect(await raw.reply(request)).toMatchObject({ items: [{}] })
  expect(await raw.reply(refused)).toEqual({ error: 'malformed' })
  expect(await raw.audit(request.envelope.id)).toMatchObject([{ outcome: 'ok', action: queue }])
  expect(await raw.audit(refused.envelope.id)).toMatchObject([{ outcome: 'malformed', action: queue }])
})

test('a job that is not opened gets neither hint nor dead letter before its audit is committed', async () => {
  const request = await raw.request('detok', { purpose, items: [{ token: 'a' }] })
  await withAuditBlocked(vault, async (blocked) => {
    const before = await raw.jobsOn(request.envelope.reply)
    await raw.put(request, { data: { ...request.envelope, v: 2 } })
    await blocked()
    expect(await raw.jobsOn(request.envelope.reply)).toEqual(before)
    expect(await raw.deadLetterIds('detok', request.envelope.id)).toEqual([])
  })
  expect((await raw.hint(request)).data).toEqual({ code: 'malformed' })
  await raw.deadLetter('detok', request.envelope.id)
})

test('a record under a retired version of the KEK is key_retired, and those beside it are read', async () => {
  const [old] = await tokenize('old')
  await vault.bao.write('transit/keys/pii/rotate', {})
  const [young] = await tokenize('young')
  await vault.bao.write('transit/keys/pii/config', { min_decryption_version: 2 })
  const request = await raw.request('detok', { purpose, items: [{ token: old }, { token: young }, { token: old }] })
  await raw.put(request)
  expect(await raw.reply(request)).toEqual({
    items: [{ error: 'key_retired' }, { value: 'young', mask: 'full' }, { error: 'key_retired' }],
  })
  expect(await raw.audit(request.envelope.id)).toMatchObject([
    { outcome: 'key_retired', kek_version: 1 },
    { outcome: 'ok', kek_version: 2 },
    { outcome: 'key_retired', kek_version: 1 },
  ])
  // The version is only shut off, so raising it by mistake loses nothing.
  await vault.bao.write('transit/keys/pii/config', { min_decryption_version: 1 })
  const again = await raw.request('detok', { purpose, items: [{ token: old }] })
  await raw.put(again)
  expect(await raw.reply(again)).toEqual({ items: [{ value: 'old', mask: 'full' }] })
})
