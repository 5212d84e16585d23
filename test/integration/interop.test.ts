import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../producers/index.ts'
import { tokensOf, valuesOf } from '../harness/outcomes.ts'
import { until } from '../harness/until.ts'
import type { TestActor } from '../harness/vault.ts'
import { TestVault } from '../harness/vault.ts'
import { PythonProducer } from '../interop/producer.ts'
import { findPython } from '../interop/python.ts'
import { readVectors } from '../unit/shared/contract/vectors.ts'

const python = await findPython()
const skipped = 'missing' in python ? ` (skipped: ${python.missing})` : ''
const purpose = 'test'
const values = [
  'a@example.com',
  '',
  ' padded ',
  'Zoë Zoe\u0308',
  '👩‍👩‍👧‍👦',
  'nul \u0000 inside',
  '\u2028',
  'x'.repeat(65_536),
]

describe.skipIf('missing' in python)(`a producer in Python, sharing no code${skipped}`, () => {
  let vault: TestVault
  let actor: TestActor
  let client: Client
  let producer: PythonProducer
  let replyQueue: string

  beforeAll(async () => {
    if ('missing' in python) return
    vault = await TestVault.open()
    actor = await vault.actor()
    await vault.replica('detok')
    await vault.replica('tokenize')
    client = await vault.client(actor)
    replyQueue = `reply-${actor.name}.python`
    producer = new PythonProducer(python, vault, actor, replyQueue)
    vault.onClose(() => producer.close())
  })
  afterAll(() => vault?.close())

  const tokenize = async (items: object[]): Promise<string[]> => {
    const answer = await producer.ask('tokenize', { purpose, items })
    return opened(answer).map((item) => String(item['token']))
  }

  test('tokenizes, and gets every value back byte for byte', async () => {
    const items = values.map((value, i) => ({ field: 'note', value, ...(i % 2 === 0 ? {} : { subject: `cust-${i}` }) }))
    const tokens = await tokenize(items)
    const answer = await producer.ask('detok', { purpose, reason: 'é', items: tokens.map((token) => ({ token })) })
    expect(opened(answer)).toEqual(values.map((value) => ({ value, mask: 'full' })))
    const subjects = (await vault.audit(actor.name))
      .filter(({ action }) => action === 'detok')
      .map(({ subject }) => subject)
    expect(subjects.filter((subject) => subject !== '' && subject !== null)).toEqual([
      'cust-1',
      'cust-3',
      'cust-5',
      'cust-7',
    ])
  })

  test('tokenizes what the TypeScript client detokenizes', async () => {
    const tokens = await tokenize(values.map((value) => ({ field: 'note', value })))
    const outcomes = await client.detok(tokens, { purpose })
    expect(valuesOf(outcomes)).toEqual(values)
  })

  test('detokenizes what the TypeScript client tokenized', async () => {
    const items = values.map((value) => ({ field: 'note', value }))
    const tokenized = await client.tokenize(items, { purpose })
    const tokens = tokensOf(tokenized).map((token) => ({ token }))
    const answer = await producer.ask('detok', { purpose, items: tokens })
    expect(opened(answer)).toEqual(values.map((value) => ({ value, mask: 'full' })))
  })

  test('is told of each bad item by itself, with the code that the vectors say', async () => {
    for (const [name, { queue, items = [], opens_to }] of readVectors('request')) {
      if (!name.startsWith('item-')) continue
      const answer = await producer.ask(queue, opens_to as object)
      const codes = opened(answer).map((item) => item['error'] ?? null)
      // The first of them is well formed: stored, or a token that the vault has not.
      expect(codes).toEqual(items.map((code, i) => (i === 0 && queue === 'detok' ? 'not_found' : code)))
    }
  })

  test('a request altered after sealing is answered with a hint and nothing else', async () => {
    const items = [{ token: `tok_${'0'.repeat(26)}` }]
    for (const alter of [{ exp: Math.floor(Date.now() / 1_000) + 3_600 }, { items: 2 }]) {
      expect(await producer.ask('detok', { purpose, items }, alter)).toEqual({ hint: 'unauthenticated' })
    }
    // Whoever holds Redis sends the answer elsewhere: a hint comes there, an answer never.
    const elsewhere = vault.queue(`${replyQueue}-2`)
    void producer.ask('detok', { purpose, items }, { reply: elsewhere.name }).catch(() => undefined)
    await until('a job came', async () => (await elsewhere.count()) > 0)
    const jobs = await elsewhere.getJobs()
    expect(jobs.map(({ name, data }) => ({ name, data }))).toEqual([
      { name: 'hint', data: { code: 'unauthenticated' } },
    ])
    const refused = (await vault.audit(actor.name)).filter(({ claimed_actor }) => claimed_actor === actor.name)
    // One row a request, committed before anything is told.
    expect(refused.map(({ outcome }) => outcome)).toEqual(Array(3).fill('unauthenticated'))
    expect(await vault.queue(replyQueue).count(), 'nothing was left on its own reply queue').toBe(0)
  })
})

function opened(answer: object): Record<string, unknown>[] {
  expect(answer).toMatchObject({ verdict: 'accept' })
  return (answer as { opens_to: { items: Record<string, unknown>[] } }).opens_to.items
}
