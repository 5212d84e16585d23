import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Tokenized } from '../../producers/index.ts'
import { readKey } from '../../provision/transit.ts'
import { kekName } from '../../shared/contract/names.ts'
import { mintToken, tokenToUuid } from '../../shared/crypto/token.ts'
import type { Replica } from '../../workers/replica.ts'
import { codesOf } from '../harness/outcomes.ts'
import { newId, now, RawProducer, ticketOf } from '../harness/raw-producer.ts'
import { until } from '../harness/until.ts'
import type { TestActor } from '../harness/vault.ts'
import { TestVault } from '../harness/vault.ts'

/* An auditor can account for every item of every request, whatever came of it. */

const email = 'ada.lovelace@example.com'
let vault: TestVault
let app: TestActor
let client: Client
let kek: number | undefined
let replicas: { detok: Replica; tokenize: Replica }

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor('app', {
    grants: {
      all: { actions: ['tokenize', 'detok'], purposes: ['test'], fields: { email: 'full', phone: 'full' } },
      support: { actions: ['detok'], purposes: ['support'], fields: { email: 'email', phone: 'last4' } },
    },
  })
  replicas = { detok: await vault.replica('detok'), tokenize: await vault.replica('tokenize') }
  client = await vault.client(app)
  kek = (await readKey(vault.bao, kekName))?.latest_version
})
afterAll(() => vault.close())

/** The audit rows of one request, in the order of its items. */
async function rowsOf(id: string): Promise<Record<string, unknown>[]> {
  const { rows } = await vault.postgres.query<Record<string, unknown>>(
    "select *, now() - at < interval '1 minute' as recent from vault.audit where request_id = $1 order by item",
    [id],
  )
  return rows
}

const audited = (id: string) => until(`${id} is audited`, async () => (await rowsOf(id)).length > 0)

const tokenOf = (outcome: Tokenized | undefined): string => {
  if (outcome?.ok !== true) throw new Error(`no token: ${outcome?.code}`)
  return outcome.token
}

const tokenize = (...items: { field: string; value: string; subject?: string }[]) =>
  client.tokenize(items, { purpose: 'test' }).then((outcomes) => outcomes.map(tokenOf))

const change = (token: string, set: string) =>
  vault.postgres.query(`update vault.records set ${set} where token = $1`, [tokenToUuid(token)])

const revision = () =>
  (JSON.parse(readFileSync(join(vault.policyDirectory, '.manifest'), 'utf8')) as { revision: string }).revision

describe('a row for every item', () => {
  test('of a detok: read, masked, denied, unknown, erased, altered or no token at all, with what is known of each', async () => {
    const [whole = '', erased = '', altered = '', phone = ''] = await tokenize(
      { field: 'email', value: email, subject: 'cust-1' },
      { field: 'email', value: 'b@example.com', subject: 'cust-2' },
      { field: 'phone', value: '+41 44 668 18 00' },
      { field: 'phone', value: '+41 44 668 18 01', subject: 'cust-4' },
    )
    await change(erased, 'ct = null, wdek = null, erased_at = now()')
    await change(altered, 'ct = set_byte(ct, 20, get_byte(ct, 20) # 1)')
    const unknown = mintToken()
    const asked = [whole, unknown, email, erased, altered, phone, whole]
    const ticket = await client.submit('detok', asked, { purpose: 'support', reason: 'ticket 4711' })
    const outcomes = await client.collect(ticket)
    expect(outcomes.map((outcome) => (outcome.ok ? outcome.mask : outcome.code))).toEqual([
      ...['email', 'not_found', 'invalid', 'erased', 'corrupt', 'last4', 'email'],
    ])

    const about = (token: string, field: string, subject: string) => ({ token: tokenToUuid(token), field, subject })
    const decided = { policy_revision: revision(), kek_version: kek }
    const nobody = { token: null, field: null, subject: null, mask: null, policy_revision: null, kek_version: null }
    const expected = [
      { ...about(whole, 'email', 'cust-1'), ...decided, outcome: 'ok', mask: 'email' },
      { ...nobody, token: tokenToUuid(unknown), outcome: 'not_found' },
      { ...nobody, outcome: 'invalid' }, // a raw e-mail address is not kept
      { ...nobody, ...about(erased, 'email', 'cust-2'), outcome: 'erased' },
      { ...about(altered, 'phone', ''), ...decided, outcome: 'corrupt', mask: 'last4' },
      { ...about(phone, 'phone', 'cust-4'), ...decided, outcome: 'ok', mask: 'last4' },
      { ...about(whole, 'email', 'cust-1'), ...decided, outcome: 'ok', mask: 'email' },
    ]
    const common = {
      ...{ recent: true, db_user: 'pii_vault_detok', worker: replicas.detok.name, action: 'detok' },
      ...{ request_id: ticket.id, attempt: 1, items: 1, actor: app.name, claimed_actor: null, tenant: app.tenant },
      ...{ purpose: 'support', reason: 'ticket 4711' },
    }
    expect(await rowsOf(ticket.id)).toEqual(
      expected.map((row, item) => ({ ...common, ...row, item, at: expect.any(Date) })),
    )
  })

  test('of a tokenize: stored, denied or ill-formed', async () => {
    const given = [
      { field: 'email', value: email, subject: 'cust-7' },
      { field: 'iban', value: 'CH93 0076 2011 6238 5295 7' },
      { field: email, value: 'x' },
      { field: 'email', value: 'half \ud800', subject: 'cust-8' },
      { field: 'email', value: 'x', subject: 'a b' },
    ]
    const ticket = await client.submit('tokenize', given, { purpose: 'test' })
    const outcomes = await client.collect(ticket)
    expect(codesOf(outcomes)).toEqual([...['ok', 'denied', 'invalid', 'invalid', 'invalid']])
    const rows = await rowsOf(ticket.id)
    const nothing = { token: null, field: null, subject: null, mask: null, policy_revision: null, kek_version: null }
    expect(rows).toMatchObject([
      {
        ...{ item: 0, token: tokenToUuid(tokenOf(outcomes[0])), field: 'email', subject: 'cust-7', outcome: 'ok' },
        ...{ mask: 'full', policy_revision: revision(), kek_version: kek },
      },
      { ...nothing, item: 1, field: 'iban', subject: '', outcome: 'denied', policy_revision: revision() },
      { ...nothing, item: 2, subject: '', outcome: 'invalid' },
      { ...nothing, item: 3, field: 'email', subject: 'cust-8', outcome: 'invalid' },
      { ...nothing, item: 4, field: 'email', outcome: 'invalid' },
    ])
    for (const row of rows) {
      expect(row).toMatchObject({ db_user: 'pii_vault_tokenize', worker: replicas.tokenize.name, action: 'tokenize' })
      expect(row).toMatchObject({ actor: app.name, tenant: app.tenant, purpose: 'test', reason: null, items: 1 })
    }
  })

  test('of an actor whom the policy does not know, and of a token of another tenant', async () => {
    const [token = ''] = await tokenize({ field: 'email', value: email })
    const stranger = { name: `stranger-${vault.id}`, tenant: '', ...(await vault.credentials(`stranger-${vault.id}`)) }
    const asking = await vault.client(stranger)
    await asking.detok([token], { purpose: 'test' })
    const [denied] = await vault.audit(stranger.name)
    expect(denied).toMatchObject({ outcome: 'denied', tenant: null, token: tokenToUuid(token), field: null })
    await vault.postgres.query('update vault.records set tenant = $2 where token = $1', [tokenToUuid(token), 'else'])
    const ticket = await client.submit('detok', [token], { purpose: 'test' })
    await client.collect(ticket)
    expect(await rowsOf(ticket.id)).toMatchObject([{ outcome: 'not_found', tenant: app.tenant, field: null }])
  })

  test('of a run of many requests: as many rows as items, each item once', async () => {
    const started = (await vault.audit(app.name)).length
    const items = Array.from({ length: 2_345 }, (_, i) => ({ field: i % 7 ? 'email' : 'iban', value: `${i}` }))
    const outcomes = await client.tokenize(items, { purpose: 'test' })
    const tokens = outcomes.map((outcome, i) => (outcome.ok ? outcome.token : `no token ${i}`))
    await client.detok(tokens, { purpose: 'test' })
    const rows = (await vault.audit(app.name)).slice(started)
    expect(rows.length).toBe(2 * items.length)
    expect(new Set(rows.map(({ request_id, item }) => `${request_id} ${item}`)).size).toBe(rows.length)
    const failed = items.filter(({ field }) => field === 'iban').length
    const count = (code: string) => rows.filter(({ outcome }) => outcome === code).length
    expect([count('ok'), count('denied'), count('invalid')]).toEqual([2 * (items.length - failed), failed, failed])
  })

  test('of every time that a value was opened, when a request is sent again', async () => {
    const [token = ''] = await tokenize({ field: 'email', value: email })
    const raw = new RawProducer(vault, app)
    const request = await raw.request('detok', { purpose: 'test', items: [{ token }] })
    const { id } = request.envelope
    for (const times of [1, 2]) {
      await raw.put(request)
      await client.collect(ticketOf(request))
      await until('the job is gone', async () => (await vault.queue('detok').getJob(id)) === undefined)
      expect((await rowsOf(id)).map(({ outcome }) => outcome)).toEqual(new Array(times).fill('ok'))
    }
  })
})

describe('one row for a request that was refused as a whole', () => {
  test('by the actor that it was sealed by, with the number of its items', async () => {
    const raw = new RawProducer(vault, app)
    const item = { field: 'email', value: email }
    const refused = [
      ['malformed', 3, await raw.request('tokenize', { purpose: email, items: [item, item, item] })],
      ['expired', 2, await raw.request('tokenize', { purpose: 'test', items: [item, item] }, { exp: now() - 3_600 })],
      ['too_large', 1_001, await raw.request('tokenize', { purpose: 'test', items: [] }, { items: 1_001 })],
    ] as const
    for (const [outcome, items, request] of refused) {
      await raw.put(request)
      await audited(request.envelope.id)
      expect(await rowsOf(request.envelope.id)).toMatchObject([
        { outcome, items, item: null, actor: app.name, claimed_actor: null, action: 'tokenize', purpose: null },
      ])
    }
  })

  test('by nobody certain: the actor is only claimed', async () => {
    const raw = new RawProducer(vault, app)
    const request = await raw.request('detok', { purpose: 'test', items: [{ token: mintToken() }] })
    const session = `vault:v1:${Buffer.alloc(76).toString('base64')}`
    await raw.put(request, { data: { ...request.envelope, session, items: 4 } })
    await audited(request.envelope.id)
    expect(await rowsOf(request.envelope.id)).toMatchObject([
      { outcome: 'unauthenticated', items: 4, item: null, actor: null, claimed_actor: app.name, tenant: null },
    ])
  })

  test('even where nothing in it has the right form, and none of that is kept', async () => {
    const id = newId()
    await vault.queue('detok').add(email, { id, actor: email, purpose: email, items: [email] }, { jobId: id })
    await audited(id)
    const rows = await rowsOf(id)
    expect(rows).toMatchObject([{ outcome: 'malformed', items: 1, actor: null, claimed_actor: null, purpose: null }])
    expect(JSON.stringify(rows)).not.toContain('ada')
  })
})
