import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { codesOf, tokensOf } from '../../harness/outcomes.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let writer: TestActor
let reader: TestActor
let stranger: TestActor
let clients: Record<'writer' | 'reader' | 'stranger', Client>
let tokens: string[]

const items = [
  { field: 'email', value: 'jane.doe@example.com' },
  { field: 'iban', value: 'DE89370400440532013000' },
  { field: 'name', value: 'Jane Doe' },
  { field: 'passport', value: 'C01X00T47' },
]

beforeAll(async () => {
  vault = await TestVault.open()
  const tenant = `tenant-${vault.id}`
  writer = await vault.actor('writer', {
    tenant,
    grants: { in: { actions: ['tokenize'], purposes: ['import'], fields: { '*': 'full' } } },
  })
  reader = await vault.actor('reader', {
    tenant,
    grants: {
      help: {
        actions: ['detok'],
        purposes: ['support'],
        fields: { email: 'email', iban: 'last4', name: 'redact' },
      },
    },
  })
  // An identity that OpenBao knows, and the policy does not.
  stranger = { name: `stranger-${vault.id}`, tenant: '', ...(await vault.credentials(`stranger-${vault.id}`)) }
  await vault.replica('detok')
  await vault.replica('tokenize')
  clients = {
    writer: await vault.client(writer),
    reader: await vault.client(reader),
    stranger: await vault.client(stranger),
  }
  const outcomes = await clients.writer.tokenize(items, { purpose: 'import' })
  tokens = tokensOf(outcomes)
})
afterAll(() => vault.close())

async function seen(by: Client, purpose: string): Promise<string[]> {
  const outcomes = await by.detok(tokens, { purpose })
  return outcomes.map((outcome) => (outcome.ok ? `${outcome.mask}: ${outcome.value.reveal()}` : outcome.code))
}
const rowsOf = async (actor: TestActor, purpose: string) =>
  (await vault.audit(actor.name)).filter((row) => row['purpose'] === purpose)

test('an actor sees as much of a value as its mask shows, and a field that is not granted is denied', async () => {
  expect(await seen(clients.reader, 'support')).toEqual([
    'email: j***@example.com',
    'last4: ****3000',
    'redact: [redacted]',
    'denied',
  ])
  expect(await rowsOf(reader, 'support')).toMatchObject([
    { outcome: 'ok', mask: 'email', field: 'email' },
    { outcome: 'ok', mask: 'last4', field: 'iban' },
    { outcome: 'ok', mask: 'redact', field: 'name' },
    { outcome: 'denied', mask: null, field: 'passport' },
  ])
})

test('a purpose that is not granted is denied, and no key is touched', async () => {
  expect(await seen(clients.reader, 'marketing')).toEqual(items.map(() => 'denied'))
  const rows = await rowsOf(reader, 'marketing')
  expect(rows).toHaveLength(items.length)
  for (const row of rows) expect(row).toMatchObject({ outcome: 'denied', tenant: reader.tenant })
  for (const row of rows) expect(row['policy_revision'], 'who decided is written down').toEqual(expect.any(String))
})

test('an action that is not granted is denied, and nothing is stored', async () => {
  expect(await seen(clients.writer, 'import')).toEqual(items.map(() => 'denied'))
  const outcomes = await clients.reader.tokenize(items, { purpose: 'support' })
  expect(codesOf(outcomes)).toEqual(items.map(() => 'denied'))
  const { rows } = await vault.postgres.query('select from vault.records where actor = $1', [reader.name])
  expect(rows).toEqual([])
})

test('an actor without a tenant is denied everything, and audited', async () => {
  expect(await seen(clients.stranger, 'support')).toEqual(items.map(() => 'denied'))
  const outcomes = await clients.stranger.tokenize(items, { purpose: 'support' })
  expect(codesOf(outcomes)).toEqual(items.map(() => 'denied'))
  const rows = await vault.audit(stranger.name)
  expect(rows).toHaveLength(2 * items.length)
  for (const row of rows) expect(row).toMatchObject({ actor: stranger.name, tenant: null, outcome: 'denied' })
})
