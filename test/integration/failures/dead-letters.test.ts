import { afterAll, beforeAll, expect, test } from 'vitest'
import { deadLetter } from '../../../shared/contract/dead-letter.ts'
import { limits } from '../../../shared/contract/grammar.ts'
import { deadLetterQueueName } from '../../../shared/contract/names.ts'
import type { Replica } from '../../../workers/replica.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { newId, now, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import { TestVault } from '../../harness/vault.ts'
import { formsOf, searchKeys } from '../canary/search.ts'

// Every request that is refused as a whole, or given up, is kept for operators: once, and nothing of it that could be a value.

let vault: TestVault
let raw: RawProducer
let detok: Replica

beforeAll(async () => {
  vault = await TestVault.open()
  const actor = await vault.actor()
  detok = await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
})
afterAll(() => vault.close())

const purpose = 'test'
const asking = (count = 1) => ({ purpose, items: new Array(count).fill({ token: `tok_${'0'.repeat(26)}` }) })
const giving = (value: string) => ({ purpose, items: [{ field: 'note', value }] })

const isGone = async ({ queue, envelope }: RawRequest) => (await raw.queue(queue).getJob(envelope.id)) === undefined

test.each<[string, () => Promise<RawRequest>]>([
  ['expired', () => raw.request('detok', asking(), { exp: now() - 600 })],
  ['malformed', () => raw.request('detok', { ...asking(), more: 1 })],
  ['too_large', () => raw.request('detok', asking(1_001))],
])('a request that is refused as %s is answered and kept, sealed as it came', async (code, make) => {
  const request = await make()
  await raw.put(request)
  expect(await raw.reply(request)).toEqual({ error: code })
  const letter = deadLetter.parse(await raw.deadLetter('detok', request.envelope.id))
  expect(letter).toEqual({
    v: 1,
    queue: 'detok',
    code,
    at: expect.any(String),
    worker: detok.name,
    attempts: 1,
    answered: true,
    id: request.envelope.id,
    bytes: JSON.stringify(request.envelope).length,
    request: request.envelope,
  })
  expect(Math.abs(Date.parse(letter.at) - Date.now())).toBeLessThan(60_000)
})

test('a conflict is kept, and the request that came first is not', async () => {
  const first = await raw.request('tokenize', giving('a'))
  await raw.put(first)
  await raw.reply(first)
  await until('the first is done', () => isGone(first))
  const second = await raw.request('tokenize', giving('b'), { id: first.envelope.id })
  await raw.put(second)
  expect(await raw.deadLetter('tokenize', first.envelope.id)).toMatchObject({
    code: 'conflict',
    answered: true,
    request: second.envelope,
  })
  expect(await raw.deadLetterIds('tokenize', first.envelope.id)).toHaveLength(1)
})

test('a body beyond the limit is not kept, only how large it was', async () => {
  const request = await raw.request('detok', JSON.stringify(asking()).padEnd(limits.bodyBytes * 2))
  await raw.put(request)
  const letter = await raw.deadLetter('detok', request.envelope.id)
  const bytes = JSON.stringify(request.envelope).length
  expect(letter).toMatchObject({ code: 'too_large', answered: true, id: request.envelope.id, bytes, request: null })
})

test('a request whose items fail is answered, and no dead letter', async () => {
  const request = await raw.request('detok', asking(3))
  await raw.put(request)
  expect(await raw.reply(request)).toEqual({ items: new Array(3).fill({ error: 'not_found' }) })
  await until('it is done', () => isGone(request))
  expect(await raw.deadLetterIds('detok', request.envelope.id)).toEqual([])
})

test('a job that runs twice leaves one dead letter, and one that is put anew another', async () => {
  const request = await raw.request('detok', asking(), { exp: 1 })
  const { id } = request.envelope
  const timestamp = Date.now() - 60_000
  // As after a crash between the letter and the end of the job: it is there again as it was.
  for (let run = 1; run <= 2; run++) {
    await raw.put(request, { timestamp })
    await until(`run ${run}`, async () => (await raw.audit(id)).length === run && (await isGone(request)))
    expect(await raw.deadLetterIds('detok', id)).toHaveLength(1)
  }
  await raw.put(request)
  await until('another', async () => (await raw.deadLetterIds('detok', id)).length === 2)
})

test('of data that is no JSON, such as an e-mail address, nothing is kept but its size; others are answered', async () => {
  const secret = `jane.${vault.id}@example.com`
  const [id, named] = [newId(), `job-of-${secret}`]
  await raw.putByHand('detok', id, { data: secret })
  await raw.putByHand('detok', named, { data: JSON.stringify(secret) })
  const next = await raw.request('detok', asking())
  await raw.put(next)
  expect(await raw.reply(next)).toMatchObject({ items: [{}] })
  const unknown = { code: 'malformed', answered: false, request: null }
  expect(await raw.deadLetter('detok', id)).toMatchObject({ ...unknown, id, bytes: secret.length })
  expect(await raw.deadLetter('detok', named)).toMatchObject({ ...unknown, id: null, bytes: secret.length + 2 })
  await until('both are done', async () => (await raw.queue('detok').getActiveCount()) === 0)
  // BullMQ's own events name the job by its id, for as long as the stream is.
  await vault.redis.del(`${vault.prefix}:detok:events`)
  expect((await searchKeys(formsOf(secret), vault.redis)).found).toEqual([])
})

test('every dead letter keeps its form', async () => {
  for (const queue of ['detok', 'tokenize'] as const) {
    const letters = await raw.queue(deadLetterQueueName(queue)).getJobs()
    expect(letters.length).toBeGreaterThan(0)
    for (const { data } of letters) deadLetter.parse(data)
  }
})
