import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { failure, RequestFailed } from '../../../producers/outcome.ts'
import { askInParts, withOthers } from '../../../producers/parts.ts'

/* A call of more items than one request holds, with requests that are answered when the test says so. */

interface Asked {
  readonly names: string[]
  readonly signal: AbortSignal
  readonly answer: () => void
  readonly fail: (error: Error) => void
}

const outcomeOf = (token: string) => ({ ok: true as const, token: `<${token}>` })
const itemsOf = (count: number) => Array.from({ length: count }, (_, i) => ({ token: `${i}` }))

function call(count: number, signal?: AbortSignal) {
  const asked: Asked[] = []
  const outcomes = askInParts(itemsOf(count), signal, (part, within) => {
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<typeof outcomeOf>[]>()
    const names = part.map(({ token }) => token)
    if (within.aborted) reject(within.reason)
    within.addEventListener('abort', () => reject(within.reason))
    asked.push({ names, signal: within, answer: () => resolve(names.map(outcomeOf)), fail: reject })
    return promise
  })
  return { asked, outcomes }
}

/** All that can happen without another answer has happened. */
const settled = async () => {
  for (let i = 0; i < 5; i++) await setImmediate()
}

test('eight requests of 200 items are under way at most, and their outcomes keep the order of the items', async () => {
  const { asked, outcomes } = call(2_001)
  await settled()
  expect(asked.map(({ names }) => names.length)).toEqual(new Array(8).fill(200))
  for (let next = asked.length; next > 0; next = asked.length) {
    for (const { answer } of asked.splice(0).reverse()) answer()
    await settled()
  }
  expect(await outcomes).toEqual(itemsOf(2_001).map(({ token }) => outcomeOf(token)))
})

test('a request without outcomes stops those that were not sent, and loses nothing of those that were', async () => {
  const { asked, outcomes } = call(2_001)
  const rejected = expect(outcomes).rejects.toMatchObject({
    ...{ name: 'RequestFailed', code: 'conflict', retryable: false },
    outcomes: itemsOf(2_001).map(({ token }, i) => (i < 400 || i >= 1_600 ? undefined : outcomeOf(token))),
  })
  await settled()
  asked[0]?.fail(new RequestFailed('conflict'))
  asked[1]?.fail(new RequestFailed('timeout')) // the first failure is the one that is told
  await settled()
  expect(asked.length, 'no more are sent').toBe(8)
  for (const { answer } of asked.slice(1)) answer()
  await rejected
})

test('an item that no request could hold has its outcome all the same', async () => {
  const huge = { token: 'x'.repeat(20_000) }
  const failed = askInParts([{ token: 'a' }, huge], undefined, () => Promise.reject(new RequestFailed('unavailable')))
  await expect(failed).rejects.toMatchObject({ outcomes: [undefined, failure('invalid')] })
})

test('any other error lets all go at once', async () => {
  const { asked, outcomes } = call(2_001)
  await settled()
  asked[3]?.fail(new Error('closed'))
  await expect(outcomes).rejects.toThrow('closed')
  expect(asked.map(({ signal }) => signal.aborted)).not.toContain(false)
})

test('so does the signal of the caller', async () => {
  const controller = new AbortController()
  const { asked, outcomes } = call(400, controller.signal)
  await settled()
  controller.abort(new Error('enough'))
  await expect(outcomes).rejects.toThrow('enough')
  expect(asked.length).toBe(2)
})

describe('items that are asked for again', () => {
  const first = ['a', 'b', 'c'].map(outcomeOf)

  test('take the places of their first outcomes', async () => {
    const all = withOthers(first, [0, 2], Promise.resolve(['x', 'y'].map(outcomeOf)))
    expect(await all).toEqual(['x', 'b', 'y'].map(outcomeOf))
  })

  test('do so too where not all of them are answered, and the others are not lost', async () => {
    const again = Promise.reject(new RequestFailed('timeout', [undefined, outcomeOf('y')]))
    await expect(withOthers(first, [0, 2], again)).rejects.toMatchObject({
      ...{ code: 'timeout', outcomes: [undefined, outcomeOf('b'), outcomeOf('y')] },
    })
  })
})
