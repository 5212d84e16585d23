import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { hintJobId, replyQueueName } from '../../../shared/contract/names.ts'
import type { RequestEnvelope } from '../../../shared/contract/request.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { newId, now, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

// Jobs that do not open: nobody is certain who asked, so there is a dead letter, an audit row with a claim, and a hint at most.

let vault: TestVault
let actor: TestActor
let other: TestActor
let raw: RawProducer
let rawOther: RawProducer
let client: Client
let token: string

beforeAll(async () => {
  vault = await TestVault.open()
  const keeper = await vault.actor('keeper')
  await vault.replica('detok')
  await vault.replica('tokenize')
  client = await vault.client(keeper)
  const [made] = await client.tokenize([{ field: 'note', value: 'a' }], { purpose })
  token = made?.ok ? made.token : ''
})
// Hints are limited for each actor, so each test has its own.
let count = 0
beforeEach(async () => {
  count++
  actor = await vault.actor(`svc${count}`)
  other = await vault.actor(`other${count}`)
  raw = new RawProducer(vault, actor)
  rawOther = new RawProducer(vault, other)
})
afterAll(() => vault.close())

const purpose = 'test'
const asking = () => ({ purpose, items: [{ token }, { token }] })

interface Expected {
  readonly code: string
  readonly hinted?: boolean
  /** The claim in the audit. */
  readonly claimed?: string | null
  /** False where the job has not the form of a request: then it could hold anything, and nothing of it is kept. */
  readonly kept?: boolean
}

/** What comes of a job that was put on the queue; `data` is what it held. */
async function expectUnopened(request: RawRequest, data: Partial<RequestEnvelope>, expected: Expected): Promise<void> {
  const { code, hinted = true, claimed = actor.name, kept = true } = expected
  const { id } = request.envelope
  const letter = await raw.deadLetter(request.queue, id)
  expect(letter).toMatchObject({ v: 1, queue: request.queue, code, request: kept ? data : null })
  const arrived = await raw.jobsOn(request.envelope.reply)
  expect(arrived.filter((jobId) => jobId.includes(id))).toEqual(hinted ? [hintJobId(request.queue, id)] : [])
  if (hinted) expect((await raw.hint(request)).data).toEqual({ code })
  const rows = await vault.audit(claimed ?? actor.name)
  const own = claimed === null ? await raw.audit(id) : rows.filter((row) => row['request_id'] === id)
  expect(own).toMatchObject([{ actor: null, claimed_actor: claimed, item: null, outcome: code, token: null }])
  const [outcome] = await client.detok([token], { purpose })
  expect(outcome?.ok, 'others go on').toBe(true)
}

test('a request under another job id than its own is refused', async () => {
  const request = await raw.request('detok', asking())
  const jobId = newId()
  await raw.put(request, { jobId })
  expect(await raw.deadLetter('detok', jobId)).toMatchObject({ code: 'malformed', request: request.envelope })
  expect((await raw.hint(request)).data).toEqual({ code: 'malformed' })
})

test('a job of another name than its queue is refused', async () => {
  const request = await raw.request('detok', asking())
  await raw.put(request, { name: 'tokenize' })
  await expectUnopened(request, request.envelope, { code: 'malformed' })
})

test("a session of another actor's is refused, also while the actor's own is in the worker's cache", async () => {
  const warm = await raw.request('detok', asking())
  await raw.put(warm)
  await raw.reply(warm)
  const foreign = await rawOther.newSession('detok', warm.session.until)
  const request = await raw.request('detok', asking(), {}, foreign)
  await raw.put(request)
  await expectUnopened(request, request.envelope, { code: 'unauthenticated' })
  // And the other way: what the owner's name opened from the cache does not open under another name.
  const stolen = await rawOther.request('detok', asking(), {}, warm.session)
  await rawOther.put(stolen)
  await expectUnopened(stolen, stolen.envelope, { code: 'unauthenticated', claimed: other.name })
})

test('a session of the other queue is refused', async () => {
  const request = await raw.request('detok', asking(), {}, await raw.newSession('tokenize'))
  await raw.put(request)
  await expectUnopened(request, request.envelope, { code: 'unauthenticated' })
})

test('a session under another time of validity is refused', async () => {
  const session = await raw.newSession('detok')
  const request = await raw.request('detok', asking(), { until: session.until + 60 }, session)
  await raw.put(request)
  await expectUnopened(request, request.envelope, { code: 'unauthenticated' })
})

test.each<[string, (sent: RequestEnvelope) => Partial<RequestEnvelope>]>([
  ['body', ({ body }) => ({ body: `${body.startsWith('A') ? 'B' : 'A'}${body.slice(1)}` })],
  ['deadline', ({ exp }) => ({ exp: exp + 1 })],
  ['number of items', ({ items }) => ({ items: items + 1 })],
  ['reply queue', ({ reply }) => ({ reply: `${reply}.elsewhere` })],
])('a request whose %s was altered is refused', async (_, alter) => {
  const request = await raw.request('detok', asking())
  const altered = { ...request.envelope, ...alter(request.envelope) }
  await raw.put(request, { data: altered })
  await expectUnopened({ ...request, envelope: altered }, altered, { code: 'unauthenticated' })
})

test.each<[string, object]>([
  ['an unknown member', { more: 1 }],
  ['a member of the wrong kind', { items: '2' }],
  ['another version', { v: 2 }],
  ['no items', { items: 0 }],
  ['a body that is no base64', { body: 'A!' }],
  ['a session that no Transit key made', { session: 'vault:v0:AAAA' }],
])('a request with %s is malformed, and nothing of it is kept', async (_, over) => {
  const request = await raw.request('detok', asking())
  await raw.put(request, { data: { ...request.envelope, ...over } })
  await expectUnopened(request, {}, { code: 'malformed', kept: false })
})

test('a request with base64 that is not strict is malformed', async () => {
  const request = await raw.request('detok', asking())
  // The last character before the padding holds bits that must be zero, or there is more padding than belongs there.
  const data = { ...request.envelope, body: `${request.envelope.body.replace(/=*$/, '')}A===`.slice(0, -2) }
  await raw.put(request, { data })
  await expectUnopened(request, {}, { code: 'malformed', kept: /^[A-Za-z0-9+/]*={0,2}$/.test(data.body) })
})

test('a value in the clear, sent by mistake, is neither kept nor repeated', async () => {
  const secret = 'jane.doe@example.com'
  const id = newId()
  const request = await raw.request('detok', asking(), { id })
  await raw.put(request, { data: { id, actor: actor.name, reply: replyQueueName(actor.name), email: secret } })
  await expectUnopened(request, {}, { code: 'malformed', kept: false })
  const kept = JSON.stringify([await raw.deadLetter('detok', id), await raw.audit(id)])
  expect(kept).not.toContain(secret)
  await until('the job is gone', async () => (await raw.queue('detok').getJob(id)) === undefined)
})

test('nothing is sent to the reply queue of another actor, not even of one whose name begins alike', async () => {
  for (const reply of [replyQueueName(other.name), `${replyQueueName(actor.name)}-export`]) {
    const request = await raw.request('detok', asking(), { reply })
    await raw.put(request)
    await expectUnopened(request, request.envelope, { code: 'malformed', hinted: false })
    expect(await raw.jobsOn(reply)).toEqual([])
  }
})

test('a job whose data is no JSON does not stay in active, and stops nothing', async () => {
  const id = newId()
  await raw.putByHand('detok', id, { data: '{"id":"' })
  expect(await raw.deadLetter('detok', id)).toMatchObject({ code: 'malformed', request: null })
  await until('the job is gone', async () => (await raw.queue('detok').getActiveCount()) === 0)
  const [outcome] = await client.detok([token], { purpose })
  expect(outcome?.ok, 'others go on').toBe(true)
})

test.each(['null', '[]', '"text"', '17'])('a job whose data is %s is set aside', async (data) => {
  const id = newId()
  await raw.putByHand('detok', id, { data })
  expect(await raw.deadLetter('detok', id)).toMatchObject({ code: 'malformed', request: null })
})

test("garbage under a request's id on the other queue does not keep the genuine reply away", async () => {
  const request = await raw.request('detok', asking())
  const { id, reply } = request.envelope
  const forged = { ...request.envelope, exp: now() + 30 }
  await raw.queue('tokenize').add('tokenize', forged, { jobId: id })
  await raw.arrival(reply, hintJobId('tokenize', id))
  await raw.put(request)
  expect(await raw.reply(request)).toMatchObject({ items: [{}, {}] })
})

test('an actor gets ten hints a second at most, and a dead letter is kept of every job', async () => {
  const requests = await Promise.all(
    Array.from({ length: 60 }, () => raw.request('detok', asking(), { reply: `${replyQueueName(actor.name)}.flood` })),
  )
  const from = Date.now()
  const jobs = requests.map(({ envelope }) => ({
    name: 'detok',
    data: { ...envelope, exp: 1 },
    opts: { jobId: envelope.id },
  }))
  await raw.queue('detok').addBulk(jobs)
  await Promise.all(requests.map(({ envelope }) => raw.deadLetter('detok', envelope.id)))
  const seconds = Math.floor(Date.now() / 1_000) - Math.floor(from / 1_000) + 1
  const hints = await raw.jobsOn(`${replyQueueName(actor.name)}.flood`)
  expect(hints.length).toBeGreaterThan(0)
  expect(hints.length).toBeLessThanOrEqual(10 * seconds)
})
