import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { RequestFailed } from '../../../producers/index.ts'
import { mintToken } from '../../../shared/crypto/token.ts'
import { tokensOf, valuesOf } from '../../harness/outcomes.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let app: TestActor
let client: Client
const purpose = 'test'

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor('app', {
    grants: { all: { actions: ['tokenize', 'detok'], purposes: ['*'], fields: { email: 'full', note: 'full' } } },
  })
  await vault.replica('detok')
  await vault.replica('tokenize')
  client = await vault.client(app)
})
afterAll(() => vault.close())

const tokenize = async (values: string[]) => {
  const items = values.map((value) => ({ field: 'note', value }))
  return tokensOf(await client.tokenize(items, { purpose }))
}

/** All jobs that lie on a queue, whatever their state. */
const jobsOn = async (queue: string) => (await vault.queue(queue).getJobs()).map(({ id }) => id)

describe('each item has an outcome of its own, in the order of the items', () => {
  test('good and bad ones mixed in both directions', async () => {
    const given = await client.tokenize(
      [
        { field: 'note', value: 'first' },
        { field: 'iban', value: 'nobody may' },
        { field: 'No Field', value: 'x' },
        { field: 'note', value: 'v'.repeat(65_537) },
        { field: 'note', value: 'lone \udc00' },
        { field: 'email', value: 'last', subject: 'cust-1' },
      ],
      { purpose, reason: 'why not' },
    )
    const [first = '', ...rest] = tokensOf(given)
    const last = rest.pop() ?? ''
    expect(rest).toEqual(['denied', 'invalid', 'too_large', 'invalid'])
    const outcomes = await client.detok([last, 'no token', mintToken(), first], { purpose })
    expect(valuesOf(outcomes)).toEqual(['last', 'invalid', 'not_found', 'first'])
    expect(outcomes[1]).toMatchObject({ ok: false, retryable: false, message: expect.stringContaining('malformed') })
  })

  test('more than one request holds', async () => {
    const values = Array.from({ length: 2_501 }, (_, i) => `value ${i}`)
    const tokens = await tokenize(values)
    expect(valuesOf(await client.detok(tokens, { purpose }))).toEqual(values)
  })

  test('values that are too large for one reply together are asked for again, and all arrive', async () => {
    const values = Array.from({ length: 50 }, (_, i) => String(i).padStart(65_536, '.'))
    const tokens = await tokenize(values)
    const outcomes = valuesOf(await client.detok(tokens, { purpose }))
    expect(outcomes.map((value) => value.slice(-3))).toEqual(values.map((value) => value.slice(-3)))
    expect(outcomes).toEqual(values)
  })

  test('values that grow most inside JSON still fit their requests', async () => {
    const values = Array.from({ length: 5 }, () => '\u0001'.repeat(65_536))
    expect(valuesOf(await client.detok(await tokenize(values), { purpose }))).toEqual(values)
  })

  test('an item that no request could hold fails alone', async () => {
    const huge = 'x'.repeat(2_000_000)
    const given = await client.tokenize(
      [
        { field: huge, value: 'x' },
        { field: 'note', value: 'x', subject: huge },
        { field: 'note', value: huge },
      ],
      { purpose },
    )
    expect(tokensOf(given)).toEqual(['invalid', 'invalid', 'too_large'])
    const [token = ''] = await tokenize(['here'])
    expect(valuesOf(await client.detok([huge, token], { purpose }))).toEqual(['invalid', 'here'])
  })

  test('no items, no outcomes, and no request', async () => {
    expect(await client.tokenize([], { purpose })).toEqual([])
    expect(await client.detok([], { purpose })).toEqual([])
  })
})

describe('a call that breaks the contract is refused before anything is sent', () => {
  test.each([
    ['purpose', { purpose: 'Not A Purpose' }],
    ['empty purpose', { purpose: '' }],
    ['reason', { purpose, reason: 'two\nlines' }],
    ['long reason', { purpose, reason: 'x'.repeat(257) }],
    ['timeout', { purpose, timeoutMs: 0 }],
    ['timeout that is no number', { purpose, timeoutMs: Number.NaN }],
  ])('%s', async (_, options) => {
    await expect(client.detok([mintToken()], options)).rejects.toThrow(RangeError)
    await expect(client.submit('detok', [mintToken()], options)).rejects.toThrow(RangeError)
  })

  test('a request of none, or of more than 1,000', async () => {
    await expect(client.submit('detok', [], { purpose })).rejects.toThrow(RangeError)
    await expect(client.submit('detok', new Array(1_001).fill(mintToken()), { purpose })).rejects.toThrow(RangeError)
  })
})

test('a request that is refused as a whole throws its code', async () => {
  const large = Array.from({ length: 20 }, () => ({ field: 'note', value: 'x'.repeat(65_536) }))
  const ticket = await client.submit('tokenize', large, { purpose })
  const refused = client.collect(ticket)
  await expect(refused).rejects.toThrow(RequestFailed)
  await expect(refused).rejects.toMatchObject({ code: 'too_large', retryable: false })
})

test('after all answers were read, nothing is left on any queue but the dead letter of the one that was refused', async () => {
  for (const queue of ['detok', 'tokenize', `reply-${app.name}`, 'dead-detok']) {
    await until(`nothing is on ${queue}`, async () => (await jobsOn(queue)).length === 0)
  }
  await until('a dead letter', async () => (await jobsOn('dead-tokenize')).length === 1)
})
