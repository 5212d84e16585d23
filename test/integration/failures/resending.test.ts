import { afterAll, beforeAll, expect, test } from 'vitest'
import { deadLetterQueueName, replyJobId } from '../../../shared/contract/names.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { newId, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let actor: TestActor
let raw: RawProducer

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
})
afterAll(() => vault.close())

const purpose = 'test'
const giving = (...values: string[]) => ({ purpose, items: values.map((value) => ({ field: 'note', value })) })

const recordsOf = async ({ envelope }: RawRequest): Promise<unknown[]> =>
  (await vault.postgres.query('select * from vault.records where request_id = $1', [envelope.id])).rows

async function tokensFor(request: RawRequest): Promise<string[]> {
  const { items } = (await raw.reply(request)) as { items: { token: string }[] }
  return items.map(({ token }) => token)
}

/** Puts it on the queue, and waits until it was run, once more than before. */
async function run(request: RawRequest, times: number): Promise<void> {
  const { queue, envelope } = request
  await until('the job before is gone', async () => (await raw.queue(queue).getJob(envelope.id)) === undefined)
  await raw.put(request)
  await until('it was run', async () => {
    const runs = (await raw.audit(envelope.id)).length / envelope.items
    return runs >= times && (await raw.queue(queue).getJob(envelope.id)) === undefined
  })
}

/** Takes the reply off its queue, as a requester does that has read it. */
async function read({ queue, envelope, digest }: RawRequest): Promise<void> {
  await raw.queue(envelope.reply).remove(replyJobId(queue, envelope.id, digest))
}

test('the same bytes again give the same tokens, no second record, and one reply', async () => {
  const request = await raw.request('tokenize', giving('a', 'b', 'c'))
  await run(request, 1)
  const tokens = await tokensFor(request)
  await run(request, 2)
  expect(await tokensFor(request)).toEqual(tokens)
  expect(await recordsOf(request)).toHaveLength(3)
  expect((await raw.jobsOn(request.envelope.reply)).filter((id) => id.includes(request.envelope.id))).toHaveLength(1)
})

test('the same bytes again, after the reply was read, give the same reply', async () => {
  const request = await raw.request('tokenize', giving('a', 'b'))
  await run(request, 1)
  const tokens = await tokensFor(request)
  await read(request)
  await run(request, 2)
  expect(await tokensFor(request)).toEqual(tokens)
  expect(await recordsOf(request)).toHaveLength(2)
  const rows = await raw.audit(request.envelope.id)
  expect(rows.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 4 }, () => 'ok'))
  expect(new Set(rows.map(({ token }) => token)).size, 'both runs speak of the same records').toBe(2)
})

test('other bytes under the same id are a conflict, and nothing is stored for them', async () => {
  const first = await raw.request('tokenize', giving('a', 'b'))
  await run(first, 1)
  const second = await raw.request('tokenize', giving('x', 'y', 'z'), { id: first.envelope.id })
  await until('the first is gone', async () => (await raw.queue('tokenize').getJob(first.envelope.id)) === undefined)
  await raw.put(second)
  expect(await raw.reply(second)).toEqual({ error: 'conflict' })
  expect(await recordsOf(first)).toHaveLength(2)
  expect(await tokensFor(first), 'the first reply stands').toHaveLength(2)
  const rows = (await raw.audit(first.envelope.id)).filter(({ outcome }) => outcome === 'conflict')
  expect(rows, 'audited, and with no token, since none was minted').toMatchObject([
    { actor: actor.name, token: null },
    { actor: actor.name, token: null },
    { actor: actor.name, token: null },
  ])
})

test("another actor's request under the same id is no conflict", async () => {
  const other = await vault.actor('other')
  const rawOther = new RawProducer(vault, other)
  const id = newId()
  const first = await raw.request('tokenize', giving('a'), { id })
  await run(first, 1)
  const second = await rawOther.request('tokenize', giving('b'), { id })
  await until('the first is gone', async () => (await raw.queue('tokenize').getJob(id)) === undefined)
  await rawOther.put(second)
  expect(await rawOther.reply(second)).not.toEqual({ error: 'conflict' })
})

test('a detok request that is replayed after its reply was read is audited again and answers only its actor', async () => {
  const made = await raw.request('tokenize', giving('a'))
  await run(made, 1)
  const [token] = await tokensFor(made)
  const request = await raw.request('detok', { purpose, items: [{ token }] })
  await run(request, 1)
  await read(request)
  await run(request, 2)
  expect(await raw.reply(request)).toEqual({ items: [{ value: 'a', mask: 'full' }] })
  expect(await raw.audit(request.envelope.id)).toHaveLength(2)
})

test("a job's own attempts and retention do not count", async () => {
  const request = await raw.request('tokenize', giving('a'))
  await raw.put(request, { attempts: 500, removeOnComplete: false, removeOnFail: false, backoff: 60_000 })
  await raw.reply(request)
  await until('it is gone', async () => (await raw.queue('tokenize').getJob(request.envelope.id)) === undefined)
  const garbage = await raw.request('tokenize', giving('b'))
  const data = { ...garbage.envelope, v: 9 }
  await raw.put(garbage, { data, attempts: 500, removeOnComplete: false, removeOnFail: false })
  await raw.deadLetter('tokenize', garbage.envelope.id)
  await until('it is gone', async () => (await raw.queue('tokenize').getJob(garbage.envelope.id)) === undefined)
  expect((await raw.audit(garbage.envelope.id)).length, 'it was tried once').toBe(1)
})

test('no plaintext is in what is left of jobs: neither results nor reasons nor dead letters', async () => {
  const value = 'an-unusual-value-4711'
  const request = await raw.request('tokenize', giving(value))
  await raw.put(request)
  await raw.reply(request)
  const clear = await raw.request('tokenize', giving('x'))
  await raw.put(clear, { data: { ...giving(value), id: clear.envelope.id, reply: clear.envelope.reply } })
  await raw.deadLetter('tokenize', clear.envelope.id)
  await until('both are gone', async () => (await raw.queue('tokenize').getActiveCount()) === 0)
  for (const name of ['tokenize', deadLetterQueueName('tokenize'), request.envelope.reply]) {
    const jobs = await raw.queue(name).getJobs()
    const events = await vault.redis.xrange(`${vault.prefix}:${name}:events`, '-', '+')
    expect(JSON.stringify([jobs.map((job) => job.toJSON()), events])).not.toContain(value)
  }
})
