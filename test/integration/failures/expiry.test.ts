import type { Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { deadLetterQueueName, replyQueueName } from '../../../shared/contract/names.ts'
import type { Replica } from '../../../workers/replica.ts'
import { newId, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import { WatchedReplica } from '../../harness/watched-replica.ts'

// What nobody comes for does not stay for ever.

let vault: TestVault
let actor: TestActor
let raw: RawProducer
let replicas: Replica[] = []
let count = 0
const purpose = 'test'
const asking = { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] }
const anHour = 3_600_000

beforeAll(async () => {
  vault = await TestVault.open()
})
beforeEach(async () => {
  actor = await vault.actor(`app${++count}`)
  raw = new RawProducer(vault, actor)
})
afterEach(async () => {
  await Promise.all(replicas.map((replica) => replica.close(5_000)))
  replicas = []
})
afterAll(() => vault.close())

async function start(overrides: Record<string, string> = {}): Promise<Replica> {
  const replica = await vault.replica('detok', overrides)
  replicas.push(replica)
  return replica
}

async function expired(what: 'replies' | 'dead_letters', of = replicas): Promise<number> {
  const counts = of.map(async ({ metrics }) =>
    Number(new RegExp(`^pii_vault_${what}_expired_total\\S* (\\d+)$`, 'm').exec(await metrics.text())?.[1] ?? 0),
  )
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0)
}

const keysOf = (queue: string): Promise<string[]> => vault.redis.keys(`${vault.prefix}:${queue}:*`)

/** Jobs that were put there an hour ago. */
const putLongAgo = (queue: Queue, ids: readonly string[]) =>
  queue.addBulk(ids.map((jobId) => ({ name: 'reply', data: {}, opts: { jobId, timestamp: Date.now() - anHour } })))

test('replies and hints that nobody reads vanish after their time, are counted, and leave no key behind', async () => {
  await start({ REPLY_TTL_S: '1' })
  const reply = `${replyQueueName(actor.name)}.never-read`
  const asked = await Promise.all([1, 2, 3].map(() => raw.request('detok', asking, { reply })))
  for (const request of asked) await raw.put(request)
  const forged = await raw.request('detok', asking, { reply })
  await raw.put(forged, { data: { ...forged.envelope, exp: forged.envelope.exp + 1 } })
  await until('all are gone', async () => (await expired('replies')) === 4)
  await until('the queue is gone', async () => (await keysOf(reply)).length === 0)
  expect(await expired('dead_letters')).toBe(0)
  expect(await raw.deadLetter('detok', forged.envelope.id), 'a dead letter has its own time').toBeDefined()
})

test('a reply that is read within its time is there, beside many that were not', async () => {
  const queue = vault.queue(replyQueueName(actor.name))
  const before = await start()
  const client = await vault.client(actor)
  const tokens = asking.items.map(({ token }) => token)
  const ticket = await client.submit('detok', tokens, { purpose })
  await until('the reply', async () => (await queue.getWaitingCount()) === 1)
  await before.close(5_000)
  const old = Array.from({ length: 1_200 }, newId)
  await putLongAgo(queue, old)
  await start({ REPLY_TTL_S: '1800' })
  await until('the old ones are gone', async () => (await expired('replies')) === old.length)
  expect(await client.collect(ticket)).toMatchObject([{ ok: false, code: 'not_found' }])
})

test('a queue that was used within the time keeps what BullMQ knows of it', async () => {
  const used = replyQueueName(actor.name)
  const unused = `${used}.unused`
  await putLongAgo(vault.queue(used), [newId()])
  await putLongAgo(vault.queue(unused), [newId()])
  const events = `${vault.prefix}:${unused}:events`
  await vault.redis
    .multi()
    .del(events)
    .xadd(events, Date.now() - anHour, 'event', 'waiting')
    .exec()
  await start({ REPLY_TTL_S: '1800' })
  await until('the unused one is gone', async () => (await keysOf(unused)).length === 0)
  await until('and the old reply', async () => (await vault.queue(used).getWaitingCount()) === 0)
  expect(await keysOf(used)).toContain(`${vault.prefix}:${used}:events`)
})

test('a job that its reader has in hand stays, and one that a dead reader left goes', async () => {
  const queue = vault.queue(replyQueueName(actor.name))
  const [held, left] = [newId(), newId()]
  await putLongAgo(queue, [held, left])
  const key = `${vault.prefix}:${queue.name}`
  await vault.redis.multi().del(`${key}:wait`).lpush(`${key}:active`, held, left).set(`${key}:${held}:lock`, 'x').exec()
  await start({ REPLY_TTL_S: '1800' })
  await until('the one that was left is gone', async () => (await queue.getJob(left)) === undefined)
  expect(await vault.redis.lrange(`${key}:active`, 0, -1)).toEqual([held])
  expect(await queue.getJob(held)).toBeDefined()
})

test('a job that claims to be of the future keeps none that came after it', async () => {
  const queue = vault.queue(replyQueueName(actor.name))
  await queue.add('reply', {}, { jobId: newId(), timestamp: Date.now() + 100 * anHour })
  await putLongAgo(queue, [newId(), newId()])
  await start({ REPLY_TTL_S: '1800' })
  await until('the others are gone', async () => (await queue.getWaitingCount()) === 1)
})

test('a reply queue that is none, by its keys, does not keep others from being swept', async () => {
  const broken = `${vault.prefix}:${replyQueueName(actor.name)}.broken`
  await vault.redis.multi().set(`${broken}:wait`, 'nonsense').hset(`${broken}:meta`, 'a', 'b').exec()
  const watched = await WatchedReplica.start(vault, 'detok', { REPLY_TTL_S: '1' })
  replicas.push(watched.replica)
  await watched.said('a queue could not be swept')
  const queue = vault.queue(replyQueueName(actor.name))
  await putLongAgo(queue, [newId()])
  await until('the old reply is gone', async () => (await queue.getWaitingCount()) === 0)
  await watched.said('a queue could not be swept', undefined, 1)
  expect(watched.fatal).toEqual([])
  await vault.redis.del(`${broken}:wait`, `${broken}:meta`)
})

test("dead letters vanish after their time, and are counted: the pool's own alone", async () => {
  await vault.redis.del(await keysOf(deadLetterQueueName('detok')))
  const of = { own: vault.queue(deadLetterQueueName('detok')), other: vault.queue(deadLetterQueueName('tokenize')) }
  await putLongAgo(of.own, [newId(), newId()])
  await putLongAgo(of.other, [newId()])
  await start({ DEAD_LETTER_TTL_S: '1800' })
  await until('its own are gone', async () => (await expired('dead_letters')) === 2)
  expect(await of.own.getWaitingCount()).toBe(0)
  expect(await of.other.getWaitingCount()).toBe(1)
  expect(await expired('replies')).toBe(0)
})

test('with several replicas each job is counted once', async () => {
  const queue = vault.queue(replyQueueName(actor.name))
  const ids = Array.from({ length: 2_000 }, newId)
  await putLongAgo(queue, ids)
  await Promise.all([start({ REPLY_TTL_S: '1800' }), start({ REPLY_TTL_S: '1800' }), start({ REPLY_TTL_S: '1800' })])
  await until('all are gone', async () => (await queue.getWaitingCount()) === 0)
  await until('and counted', async () => (await expired('replies')) === ids.length)
})

test('what answered requests leave behind does not grow with their number', async () => {
  await start()
  const client = await vault.client(actor)
  const keys = async () => (await vault.redis.keys(`${vault.prefix}:*`)).filter((key) => !/:probe:|:lock$/.test(key))
  const ask = () =>
    client.detok(
      asking.items.map(({ token }) => token),
      { purpose },
    )
  await ask()
  await until('the first is done', async () => (await vault.queue('detok').getActiveCount()) === 0)
  const before = (await keys()).sort()
  for (let n = 0; n < 50; n++) await ask()
  await until('all are done', async () => (await vault.queue('detok').getActiveCount()) === 0)
  expect((await keys()).sort()).toEqual(before)
  const metas = await Promise.all(
    ['detok', replyQueueName(actor.name)].map((name) =>
      vault.redis.hget(`${vault.prefix}:${name}:meta`, 'opts.maxLenEvents'),
    ),
  )
  expect(metas).toEqual(['10000', '10000'])
})
