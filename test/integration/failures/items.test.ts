import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { mintToken, tokenToUuid } from '../../../shared/crypto/token.ts'
import { tokensOf, valuesOf } from '../../harness/outcomes.ts'
import { RawProducer } from '../../harness/raw-producer.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

// What is wrong with one item is that item's matter: the nineteen beside it in its batch go on.

let vault: TestVault
let actor: TestActor
let foreigner: TestActor
let raw: RawProducer
let client: Client
let tokens: string[]

const purpose = 'test'
const values = Array.from({ length: 20 }, (_, i) => `value ${i}`)

async function tokenize(by: Client, given: readonly string[]): Promise<string[]> {
  const outcomes = await by.tokenize(
    given.map((value) => ({ field: 'note', subject: 'someone', value })),
    { purpose },
  )
  return tokensOf(outcomes)
}

async function detok(asked: readonly string[]): Promise<string[]> {
  return valuesOf(await client.detok(asked, { purpose }))
}

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  foreigner = await vault.actor('foreigner', { tenant: `elsewhere-${vault.id}` })
  await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
  client = await vault.client(actor, 'client')
})
beforeEach(async () => {
  tokens = await tokenize(client, values)
})
afterAll(() => vault.close())

/** Item 7 of the twenty is asked for as `token`: it gets this code, the others their values. */
async function expectAlone(code: string, token = tokens[7] as string): Promise<void> {
  const asked = tokens.with(7, token)
  expect(await detok(asked)).toEqual(values.with(7, code))
  const { rows } = await vault.postgres.query(
    `select item, outcome, token from vault.audit where actor = $1 and action = 'detok'
     and request_id = (select request_id from vault.audit where actor = $1 and action = 'detok' order by at desc limit 1)
     order by item`,
    [actor.name],
  )
  expect(rows.map(({ outcome }) => outcome)).toEqual(values.map(() => 'ok').with(7, code))
  const known = code === 'invalid' ? null : tokenToUuid(token)
  expect(rows[7].token, 'what is no token is not written down').toBe(known)
}

/** Alters the record of item 7, as who can write to the database could. */
async function alter(set: string, ...parameters: unknown[]): Promise<void> {
  const { rowCount } = await vault.postgres.query(`update vault.records set ${set} where token = $1`, [
    tokenToUuid(tokens[7] as string),
    ...parameters,
  ])
  expect(rowCount).toBe(1)
}
const beside = () => tokenToUuid(tokens[8] as string)

test.each(['jane.doe@example.com', '', 'tok_', `tok_8${'0'.repeat(25)}`, `TOK_${'0'.repeat(26)}`])(
  'a token that is none (%j) is invalid',
  async (token) => {
    await expectAlone('invalid', token)
  },
)

test('an unknown token is not found', async () => {
  await expectAlone('not_found', mintToken())
})

test("another tenant's token is not found", async () => {
  const [theirs] = await tokenize(await vault.client(foreigner), ['theirs'])
  await expectAlone('not_found', theirs)
})

test('an erased record is erased', async () => {
  await alter('ct = null, wdek = null, erased_at = now()')
  await expectAlone('erased')
})

test.each<[string, string]>([
  ["another record's ciphertext", 'ct = (select ct from vault.records where token = $2)'],
  ["another record's key", 'wdek = (select wdek from vault.records where token = $2)'],
  ["another record's ciphertext and key", '(ct, wdek) = (select ct, wdek from vault.records where token = $2)'],
])('a record with %s is corrupt', async (_, set) => {
  await alter(set, beside())
  await expectAlone('corrupt')
})

test.each<[string, string]>([
  ['its last bit flipped', 'ct = set_bit(ct, octet_length(ct) * 8 - 1, 1 - get_bit(ct, octet_length(ct) * 8 - 1))'],
  ['a bit of its nonce flipped', 'ct = set_bit(ct, 0, 1 - get_bit(ct, 0))'],
  ['its last byte missing', 'ct = substring(ct for octet_length(ct) - 1)'],
  ['all but its nonce missing', 'ct = substring(ct for 12)'],
  ['nothing left of it', "ct = ''"],
  ['another field', "field = 'other'"],
  ['another subject', "subject = 'other'"],
])('a record with %s is corrupt', async (_, set) => {
  await alter(set)
  await expectAlone('corrupt')
})

test('a record that was given to another tenant is corrupt there', async () => {
  const [theirs] = await tokenize(await vault.client(foreigner), ['theirs'])
  await vault.postgres.query('update vault.records set tenant = $1 where token = $2', [
    actor.tenant,
    tokenToUuid(theirs as string),
  ])
  await expectAlone('corrupt', theirs)
})

test.each<[string, string]>([
  ['is no Transit ciphertext', 'not a key'],
  ['is empty', ''],
  ['has no base64', 'vault:v1:!!!'],
  ['is too short for a nonce', 'vault:v1:AAAA'],
  ['has no content', 'vault:v1:'],
  ['has a version that is no number', 'vault:vx:AAAA'],
  ['has a version that never was', `vault:v999:${Buffer.alloc(60).toString('base64')}`],
  ['has version 0', `vault:v0:${Buffer.alloc(60).toString('base64')}`],
  ['holds control characters', 'vault:v1:\n"\\\u0001'],
])('a record whose wrapped key %s fails alone', async (_, wdek) => {
  await alter('wdek = $2', wdek)
  const outcomes = await detok(tokens)
  expect(outcomes.with(7, '')).toEqual(values.with(7, ''))
  expect(outcomes[7]).toBe(wdek.startsWith('vault:v999:') ? 'unavailable' : 'corrupt')
})

test('several items that fail in several ways fail each in its own', async () => {
  await alter("wdek = 'not a key'")
  await vault.postgres.query("update vault.records set ct = '' where token = $1", [tokenToUuid(tokens[3] as string)])
  expect(await detok(tokens.with(5, 'nonsense').with(6, mintToken()))).toEqual(
    values.with(3, 'corrupt').with(5, 'invalid').with(6, 'not_found').with(7, 'corrupt'),
  )
})

test('values over 64 KiB and values that are no text are refused one by one', async () => {
  const item = (value: string, over = {}) => ({ field: 'note', subject: 's', value, ...over })
  const request = await raw.request('tokenize', {
    purpose,
    items: [
      item('x'.repeat(65_537)),
      item('ok'),
      item('\ud800 alone'),
      item('é'.repeat(32_769)),
      item('x'.repeat(65_536)),
      item('x', { field: 'No Field' }),
      item('x', { subject: 'a subject with spaces' }),
      item('x', { subject: '' }),
    ],
  })
  await raw.put(request)
  const { items } = (await raw.reply(request)) as { items: { error?: string; token?: string }[] }
  expect(items.map(({ error, token }) => error ?? typeof token)).toEqual([
    'too_large',
    'string',
    'invalid',
    'too_large',
    'string',
    'invalid',
    'invalid',
    'invalid',
  ])
  const rows = await raw.audit(request.envelope.id)
  expect(rows.map(({ outcome }) => outcome)).toEqual([
    'too_large',
    'ok',
    'invalid',
    'too_large',
    'ok',
    'invalid',
    'invalid',
    'invalid',
  ])
  expect(rows[5], 'what is no field is not written down').toMatchObject({ field: null, subject: 's' })
  expect(rows[6]).toMatchObject({ field: 'note', subject: null })
})

test('values that together pass 1 MiB are too large from one place on, in order', async () => {
  const large = 'x'.repeat(65_000)
  const [one] = await tokenize(client, [large])
  const asked = Array.from({ length: 1_000 }, (_, i) => (i % 50 === 0 ? (one as string) : (tokens[i % 20] as string)))
  const request = await raw.request('detok', { purpose, items: asked.map((token) => ({ token })) })
  await raw.put(request)
  const { items } = (await raw.reply(request)) as { items: { error?: string; value?: string }[] }
  const cut = items.findIndex(({ error }) => error !== undefined)
  expect(cut, 'fifteen large ones fit, with the small ones between them').toBe(750)
  expect(items.slice(cut).every(({ error }) => error === 'too_large')).toBe(true)
  const rows = await raw.audit(request.envelope.id)
  expect(rows.map(({ outcome }) => outcome)).toEqual(items.map(({ error }) => error ?? 'ok'))
  // The library asks again for what did not fit.
  expect(await detok(asked)).toEqual(asked.map((token, i) => (token === one ? large : values[i % 20])))
})
