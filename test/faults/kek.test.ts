import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { codesOf } from '../harness/outcomes.ts'
import { until } from '../harness/until.ts'
import { findings } from './harness/findings.ts'
import { Fleet } from './harness/fleet.ts'

let fleet: Fleet
const kek = 'transit/keys/pii'
const backup = z.object({ data: z.object({ backup: z.string() }) })
const purpose = 'test'

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 2, loads: 3 })
})
afterEach(() => fleet.mend())
afterAll(() => fleet?.close())

async function versions(): Promise<number[]> {
  const { rows } = await fleet.vault.postgres.query<{ kek_version: number }>(
    'select distinct kek_version from vault.records where actor = $1 order by kek_version',
    [fleet.asking.actor.name],
  )
  return rows.map(({ kek_version }) => kek_version)
}

test('the KEK rotated under load: new records are under its new version, old ones are read, and nothing is lost', async () => {
  const load = await fleet.load()
  await load.more(12)
  await fleet.vault.bao.write(`${kek}/rotate`, {})
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
  expect(await versions()).toEqual([1, 2])
})

test('min_decryption_version raised: records that are too old say so, each by itself, and others are read', async () => {
  const load = await fleet.load()
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
  const { client } = fleet.asking
  const [fresh = ''] = load.tokens
  await fleet.vault.bao.write(`${kek}/rotate`, {})
  await fleet.vault.bao.write(`${kek}/config`, { min_decryption_version: 3 })
  const [newer] = await client.tokenize([{ field: 'note', value: 'new' }], { purpose })
  const token = newer?.ok ? newer.token : ''
  expect(codesOf(await client.detok([fresh, token], { purpose }))).toEqual(['key_retired', 'ok'])
  await fleet.vault.bao.write(`${kek}/config`, { min_decryption_version: 1 })
  expect(codesOf(await client.detok([fresh, token], { purpose }))).toEqual(['ok', 'ok'])
})

test('the KEK deleted: the intake closes, no new key is made in its place, and all goes on when it is restored', async () => {
  const load = await fleet.load()
  await load.more(12)
  await fleet.vault.bao.write(`${kek}/config`, {
    allow_plaintext_backup: true,
    exportable: true,
    deletion_allowed: true,
  })
  const saved = backup.parse(await fleet.vault.bao.read('transit/backup/pii')).data.backup
  await fleet.vault.bao.delete(kek)
  await fleet.closed('transit')
  const { answered } = load
  await until('they ask again', () => fleet.front.requests > 0)
  expect(await fleet.attemptsUsed()).toBe(0)
  expect(load.answered - answered).toBeLessThanOrEqual(6)
  expect(await fleet.vault.bao.list('transit/keys'), 'nobody made another').not.toContain('pii')
  await fleet.vault.bao.write('transit/restore/pii', { backup: saved })
  await fleet.opened('transit')
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
})
