import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Load } from '../harness/load.ts'
import { findings } from './harness/findings.ts'
import { Fleet, queues } from './harness/fleet.ts'

// A checker that finds nothing proves something only if it finds what is wrong.

let fleet: Fleet
let load: Load

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 1, loads: 8 })
})
beforeEach(async () => {
  load = await fleet.load()
  await load.more(6)
  expect(await findings(fleet, load)).toEqual([])
})
afterAll(() => fleet?.close())

const query = (text: string) => fleet.vault.postgres.query(text, [fleet.asking.actor.name])
const one = `ctid in (select ctid from vault.audit where actor = $1 and action = 'detok' limit 1) and actor = $1`
const columns = `worker, request_id, attempt, item, items, actor, tenant, purpose, action, token, field, subject, mask,
                 policy_revision, kek_version, outcome`

test('an item that is not in the audit is found', async () => {
  await query(`delete from vault.audit where actor = $1 and (request_id, item) in
               (select request_id, item from vault.audit where actor = $1 and action = 'detok' limit 1)`)
  expect(await findings(fleet, load)).toEqual([expect.stringMatching(/^detok: \d+ items answered, \d+ audited$/)])
})

test('a row that is there twice is found, unless commits were lost', async () => {
  await query(`insert into vault.audit (${columns}) select ${columns} from vault.audit where ${one}`)
  expect(await findings(fleet, load)).toEqual(['detok: 1 rows say again what an attempt has said'])
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
})

test('two rows of one attempt that contradict each other are found, also if commits were lost', async () => {
  await query(`insert into vault.audit (${columns.replace('mask,', '')}, mask)
               select ${columns.replace('mask,', '')}, 'last4' from vault.audit where ${one}`)
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([
    'detok: of 1 items an attempt says more than one thing',
  ])
})

test('a row of an item that should not have failed is found', async () => {
  await query(`insert into vault.audit (${columns.replace('outcome', '')} outcome)
               select ${columns.replace('outcome', '')} 'denied' from vault.audit where ${one}`)
  expect(await findings(fleet, load)).toEqual(['detok: 1 rows of items that should not have failed'])
})

test('a record whose token nobody was given, and a token without a record, are found', async () => {
  await query(`update vault.records set token = gen_random_uuid()
               where ctid in (select ctid from vault.records where actor = $1 limit 1)`)
  expect(await findings(fleet, load)).toEqual(['1 tokens without a record', '1 records whose token nobody was given'])
})

test('what was not taken is found, unless it was refused on purpose; so is what came back wrong', async () => {
  load.notTaken++
  load.wrong.push('tok: other')
  expect(await findings(fleet, load, { refused: true })).toEqual(['came back wrong: tok: other'])
})

test('dead letters and replies that nobody reads are found', async () => {
  const { actor } = fleet.asking
  await fleet.vault.queue('dead-detok').add('dead', {})
  await fleet.vault.queue(`reply-${actor.name}`).add('reply', {})
  expect(await findings(fleet, load)).toEqual(['1 dead letters of queue detok', '1 replies that nobody asked for'])
  await fleet.vault.queue('dead-detok').drain()
})

test('a replica that ended is found', async () => {
  const member = fleet.living.find(({ queue }) => queue === queues[1])
  await member?.process.stop('SIGKILL')
  expect(await findings(fleet, load)).toEqual([expect.stringMatching(/^a tokenize worker ended: /)])
})
