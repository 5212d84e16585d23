import { afterEach, describe, expect, test, vi } from 'vitest'
import { openReply } from '../../../../producers/open-reply.ts'
import { RequestFailed } from '../../../../producers/outcome.ts'
import { Sessions } from '../../../../producers/sessions.ts'
import { hint } from '../../../../shared/contract/reply.ts'
import { openRecord } from '../../../../shared/crypto/record.ts'
import { judge } from './judge.ts'
import { readVectors, transitHolding } from './vectors.ts'

afterEach(() => vi.useRealTimers())

describe('a worker judges a request as its vector says', () => {
  test.each(readVectors('request'))('%s', async (_, vector) => {
    vi.useFakeTimers({ now: vector.now * 1_000, toFake: ['Date'] })
    expect(await judge(vector)).toEqual({
      verdict: vector.verdict === 'accept' ? 'accept' : 'refuse',
      ...(vector.verdict === 'accept' ? { opensTo: vector.opens_to, items: vector.items } : {}),
      ...(vector.code === undefined ? {} : { code: vector.code, answer: vector.answer }),
    })
  })
})

describe('a requester takes or passes over a reply as its vector says', () => {
  test.each(readVectors('reply'))('%s', async (_, { data, ticket, actor, session, verdict, opens_to }) => {
    const opened = await openReply(data, ticket, actor, new Sessions(transitHolding(session), actor), 'any session')
    expect(opened === undefined ? 'refuse' : 'accept').toBe(verdict === 'accept' ? 'accept' : 'refuse')
    if (opened === undefined) return
    if (opened instanceof RequestFailed) return expect({ error: opened.code }).toEqual(opens_to)
    const items = opened.map((item) => {
      if (!item.ok) return { error: item.code }
      return 'token' in item ? { token: item.token } : { value: item.value.reveal(), mask: item.mask }
    })
    expect({ items }).toEqual(opens_to)
  })
})

test.each(readVectors('hint'))('a hint is read as its vector says: %s', (_, { data, verdict }) => {
  expect(hint.safeParse(data).success).toBe(verdict === 'accept')
})

test.each(readVectors('record'))('a record opens or not as its vector says: %s', (_, vector) => {
  const value = openRecord(vector.dek, vector.ciphertext, vector.label)?.reveal()
  expect(value).toBe(vector.verdict === 'accept' ? vector.opens_to : undefined)
})
