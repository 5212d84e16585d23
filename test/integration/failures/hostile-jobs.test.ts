import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Replica } from '../../../workers/replica.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { newId, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let actor: TestActor
let raw: RawProducer
let detok: Replica

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  detok = await vault.replica('detok')
  await vault.replica('tokenize')
  raw = new RawProducer(vault, actor)
})
afterAll(() => vault.close())

const purpose = 'test'
const unknown = (count: number) => ({
  purpose,
  items: Array.from({ length: count }, () => ({ token: 'tok_00000000000000000000000000' })),
})
const giving = (value: string, count: number) => ({
  purpose,
  items: Array.from({ length: count }, (_, i) => ({ field: 'note', value: value + i })),
})

test.each(['-40000', '-1', '99999'])(
  'a job whose hash says attempt %s is answered and audited, and so are its neighbours',
  async (attempts) => {
    const queue = raw.queue('detok')
    await queue.pause()
    const requests: RawRequest[] = []
    for (let i = 0; i < 6; i++) requests.push(await raw.request('detok', unknown(3)))
    for (const request of requests) await raw.put(request)
    const [hostile] = requests as [RawRequest]
    await vault.redis.hset(`${vault.prefix}:detok:${hostile.envelope.id}`, 'ats', attempts)
    await queue.resume()
    for (const request of requests) {
      expect(await raw.reply(request)).toEqual({ items: Array(3).fill({ error: 'not_found' }) })
      expect(await raw.audit(request.envelope.id)).toHaveLength(3)
    }
  },
)

test('two contents under one id at the same moment: each token that is answered opens to what its requester gave', async () => {
  // BullMQ keeps them apart on one queue, so the second comes by another prefix, on the same database.
  const other = await TestVault.open()
  try {
    await other.replica('tokenize', { POLICY: vault.policyDirectory })
    const rawOther = new RawProducer(other, actor)
    for (let round = 0; round < 8; round++) {
      const id = newId()
      const one = await raw.request('tokenize', giving('one', 40), { id })
      const two = await rawOther.request('tokenize', giving('two', 40), { id })
      await Promise.all([raw.put(one), rawOther.put(two)])
      const answers = await Promise.all([raw.reply(one), rawOther.reply(two)])
      const answered = answers.filter((answer) => !isConflict(answer))
      expect(answered.length, 'at most one of them is stored').toBeLessThanOrEqual(1)
    }
  } finally {
    await other.close()
  }
})

const isConflict = (answer: unknown): boolean => (answer as { error?: string }).error === 'conflict'

test('jobs of one item and a megabyte each are taken in a few at a time', async () => {
  const queue = raw.queue('detok')
  await queue.pause()
  const padded = JSON.stringify(unknown(1)).padEnd(900_000)
  const requests: RawRequest[] = []
  for (let i = 0; i < 60; i++) requests.push(await raw.request('detok', padded))
  for (const request of requests) await raw.put(request)
  await queue.resume()
  let most = 0
  await until('all are done', async () => {
    most = Math.max(most, await queue.getActiveCount())
    return (await queue.getJobCountByTypes('wait', 'active')) === 0
  })
  // 28 of them are 32 MiB; one more fills it, and a few may be on their way out.
  expect(most).toBeLessThanOrEqual(35)
  expect(detok.figures.items).toBeGreaterThanOrEqual(60)
})
