import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { limits } from '../../../shared/contract/grammar.ts'
import { replyJobId } from '../../../shared/contract/names.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { now, RawProducer } from '../../harness/raw-producer.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

// Requests whose session opens, and that are refused all the same: the answer is sealed.

let vault: TestVault
let actor: TestActor
let raw: RawProducer
let client: Client
let token: string

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
  client = await vault.client(actor, 'client')
  const [made] = await client.tokenize([{ field: 'note', value: 'a' }], { purpose })
  token = made?.ok ? made.token : ''
})
afterAll(() => vault.close())

const purpose = 'test'
const asking = (count = 1) => ({ purpose, items: Array.from({ length: count }, () => ({ token })) })
const answer = { items: [{ value: 'a', mask: 'full' }] }

/** `claimed`: the body was not opened, so that the actor made this request is only a claim. */
async function expectRefusal(request: RawRequest, code: string, claimed = false): Promise<void> {
  await raw.put(request)
  expect(await raw.reply(request)).toEqual({ error: code })
  const { queue, envelope, digest } = request
  const job = await raw.arrival(envelope.reply, replyJobId(queue, envelope.id, digest))
  expect(job.data).toMatchObject({ ok: 0, failed: envelope.items, items: envelope.items })
  const who = claimed ? { actor: null, claimed_actor: actor.name } : { actor: actor.name, claimed_actor: null }
  expect(await raw.audit(envelope.id)).toMatchObject([
    { item: null, items: envelope.items, outcome: code, token: null, ...who },
  ])
  const [outcome] = await client.detok([token], { purpose })
  expect(outcome?.ok, 'others go on').toBe(true)
}

test('a request that expired by more than clocks may differ is refused', async () => {
  await expectRefusal(await raw.request('detok', asking(), { exp: now() - 125 }), 'expired')
})

test('a request that expired by less than clocks may differ is answered', async () => {
  const request = await raw.request('detok', asking(), { exp: now() - 100 })
  await raw.put(request)
  expect(await raw.reply(request)).toEqual(answer)
})

test('a session that is valid for more than a day is refused', async () => {
  const session = await raw.newSession('detok', now() + limits.sessionSeconds + limits.clockSkewSeconds + 60)
  await expectRefusal(await raw.request('detok', asking(), {}, session), 'malformed')
})

test('a session that is valid for a day is accepted', async () => {
  const session = await raw.newSession('detok', now() + limits.sessionSeconds)
  const request = await raw.request('detok', asking(), {}, session)
  await raw.put(request)
  expect(await raw.reply(request)).toEqual(answer)
})

test('a request that outlives its session is refused', async () => {
  const session = await raw.newSession('detok')
  await expectRefusal(await raw.request('detok', asking(), { exp: session.until + 1 }, session), 'malformed')
})

test('1,000 items are accepted and 1,001 are too many', async () => {
  const most = await raw.request('detok', asking(1_000))
  await raw.put(most)
  expect(await raw.reply(most)).toEqual({ items: Array.from({ length: 1_000 }, () => answer.items[0]) })
  await expectRefusal(await raw.request('detok', asking(1_001)), 'too_large')
})

test('a body of 1 MiB is accepted and one byte more is too large', async () => {
  // 28 bytes are iv and tag; the plaintext is padded by hand, since the contract's padding has no such length.
  const whole = (bytes: number) => JSON.stringify(asking()).padEnd(bytes - 28)
  const largest = await raw.request('detok', whole(limits.bodyBytes))
  expect(Buffer.from(largest.envelope.body, 'base64')).toHaveLength(limits.bodyBytes)
  await raw.put(largest)
  expect(await raw.reply(largest)).toEqual(answer)
  await expectRefusal(await raw.request('detok', whole(limits.bodyBytes + 1)), 'too_large')
  await expectRefusal(await raw.request('detok', whole(limits.bodyBytes * 2)), 'too_large', true)
})

// Right but for what is said of it.
const right = { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] }
test.each([
  ['has another number of items than it says', { ...right, items: [...right.items, ...right.items] }, { items: 1 }],
  ['has no items', { purpose, items: [] }, { items: 1 }],
  ['has no purpose', { items: right.items }, {}],
  ['has a purpose that breaks its grammar', { ...right, purpose: 'Not This' }, {}],
  ['has a reason with a line break', { ...right, reason: 'a\nb' }, {}],
  ['has an unknown member', { ...right, more: true }, {}],
  ['has an item with an unknown member', { purpose, items: [{ token: 'a', field: 'note' }] }, {}],
  ['has an item that is no object', { purpose, items: ['tok_'] }, {}],
  ['is no JSON', '{"purpose":', {}],
  ['is a list', '[]', {}],
])('a request whose body %s is refused as malformed', async (_, content, fields) => {
  await expectRefusal(await raw.request('detok', content, fields), 'malformed')
})

test('the same body without a fault is answered', async () => {
  const request = await raw.request('detok', right)
  await raw.put(request)
  expect(await raw.reply(request)).toEqual({ items: [{ error: 'not_found' }] })
})
