import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { newId, RawProducer } from '../../harness/raw-producer.ts'
import { Idler } from '../../harness/stalling.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

// Jobs that cannot be processed, though nothing is wrong with the request or nobody can tell what is.

let vault: TestVault
let actor: TestActor
let raw: RawProducer
const purpose = 'test'
const asking = { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] }

beforeAll(async () => {
  vault = await TestVault.open()
})
let count = 0
beforeEach(async () => {
  actor = await vault.actor(`app${++count}`)
  raw = new RawProducer(vault, actor)
})
afterAll(() => vault.close())

test('a job whose workers died of it too often ends as a dead letter, and its requester gets a hint', async () => {
  const request = await raw.request('detok', asking)
  const { id } = request.envelope
  await raw.put(request)
  const idler = new Idler(vault, 'detok')
  for (let death = 1; death <= 6; death++) {
    expect(await idler.take()).toBe(id)
    await idler.expire([id])
  }
  const replica = await vault.replica('detok')
  expect(await raw.deadLetter('detok', id)).toMatchObject({
    code: 'unavailable',
    answered: false,
    attempts: 7,
    request: request.envelope,
  })
  expect((await raw.hint(request)).data).toEqual({ code: 'unavailable' })
  expect(await raw.audit(id)).toMatchObject([
    { claimed_actor: actor.name, actor: null, outcome: 'unavailable', attempt: 7 },
  ])
  await until('it is gone', async () => (await raw.queue('detok').getJob(id)) === undefined)
  await replica.close(5_000)
})

test('a job whose workers died five times is run a sixth time', async () => {
  const request = await raw.request('detok', asking)
  const { id } = request.envelope
  await raw.put(request)
  const idler = new Idler(vault, 'detok')
  for (let death = 1; death <= 5; death++) {
    expect(await idler.take()).toBe(id)
    await idler.expire([id])
  }
  const replica = await vault.replica('detok')
  expect(await raw.reply(request)).toMatchObject({ items: [{}] })
  await replica.close(5_000)
})

test.each([
  ['opts', '{"'],
  ['opts', 'null'],
  ['progress', '{"'],
  ['parent', '{"'],
  ['parent', '17'],
  ['stacktrace', '{"'],
  ['returnvalue', '{"'],
])('a job whose %s are %j is run like any other', async (member, content) => {
  const replica = await vault.replica('detok')
  const request = await raw.request('detok', asking)
  const { id } = request.envelope
  await raw.putByHand('detok', id, { data: JSON.stringify(request.envelope), [member]: content })
  expect(await raw.reply(request)).toMatchObject({ items: [{}] })
  await until('it is gone', async () => (await vault.redis.exists(`${vault.prefix}:detok:${id}`)) === 0)
  await until('nor is it in active', async () => (await raw.queue('detok').getActiveCount()) === 0)
  await replica.close(5_000)
})

test('such a job does not hold up the one that it is fetched after', async () => {
  const requests = await Promise.all([raw.request('detok', asking), raw.request('detok', asking)])
  for (const { envelope } of requests)
    await raw.putByHand('detok', envelope.id, { data: JSON.stringify(envelope), opts: '{"' })
  const replica = await vault.replica('detok')
  for (const request of requests) expect(await raw.reply(request)).toMatchObject({ items: [{}] })
  await until('both are gone', async () => (await raw.queue('detok').getActiveCount()) === 0)
  await replica.close(5_000)
})

test('an id on the queue without a job is set aside', async () => {
  const replica = await vault.replica('detok')
  const id = newId()
  await vault.redis.lpush(`${vault.prefix}:detok:wait`, id)
  await vault.redis.zadd(`${vault.prefix}:detok:marker`, 0, '0')
  expect(await raw.deadLetter('detok', id)).toMatchObject({ code: 'malformed', request: null })
  await until('it is gone', async () => (await raw.queue('detok').getActiveCount()) === 0)
  await replica.close(5_000)
})

test('a job whose reply queue takes no job is set aside, and others are answered', async () => {
  const replica = await vault.replica('detok')
  const reply = `reply-${actor.name}.broken`
  // As who can write to Redis could do: the queue's counter is no number.
  await vault.redis.set(`${vault.prefix}:${reply}:id`, 'nonsense')
  const request = await raw.request('detok', asking, { reply })
  await raw.put(request)
  const next = await raw.request('detok', asking)
  await raw.put(next)
  expect(await raw.reply(next)).toMatchObject({ items: [{}] })
  expect(await raw.deadLetter('detok', request.envelope.id)).toMatchObject({ code: 'unavailable' })
  await until('it is gone', async () => (await raw.queue('detok').getJob(request.envelope.id)) === undefined)
  await replica.close(5_000)
})
