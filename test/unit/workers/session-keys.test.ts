import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Secret } from '../../../shared/crypto/secret.ts'
import { ContentRefused, ShuttingDown } from '../../../shared/errors/server-errors.ts'
import { Dependency } from '../../../shared/lifecycle/dependency.ts'
import type { ItemResult } from '../../../shared/transit/index.ts'
import type { Dependencies } from '../../../workers/dependencies.ts'
import { createSessionKeys } from '../../../workers/stages/session-keys.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  // What the cache tells time by.
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now())
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const claim = { actor: 'svc-a', session: 'vault:v1:AAAA', until: 1_800_000_000 }
const key = (byte = 7): ItemResult<Secret<Buffer>> => ({ ok: new Secret(Buffer.alloc(32, byte)) })

/** Session keys from a Transit that answers as the test says. */
function opened(answer: () => Promise<ItemResult<Secret<Buffer>>>) {
  const decryptSession = vi.fn(answer)
  const guard = new Dependency({
    name: 'transit',
    probe: async () => undefined,
    log: pino({ level: 'silent' }),
    onChange: () => undefined,
  })
  const dependencies = { transit: { transit: { decryptSession }, guard } } as unknown as Dependencies
  return { sessionKeys: createSessionKeys('detok', dependencies), decryptSession, guard }
}

test('a session is unwrapped under the key of its queue and actor, bound to its associated data', async () => {
  const { sessionKeys, decryptSession } = opened(async () => key())
  expect((await sessionKeys(claim))?.export()).toEqual(Buffer.alloc(32, 7))
  const aad = Buffer.from('pii1\nsession\ndetok\nsvc-a\n1800000000')
  expect(decryptSession.mock.calls).toEqual([['queue-detok-svc-a', claim.session, aad]])
})

test('the bytes that came from Transit are wiped', async () => {
  const bytes = Buffer.alloc(32, 7)
  await opened(async () => ({ ok: new Secret(bytes) })).sessionKeys(claim)
  expect(bytes).toEqual(Buffer.alloc(32))
})

test('requests of one session, at once or later, share an unwrap', async () => {
  const { sessionKeys, decryptSession } = opened(async () => key())
  const keys = await Promise.all(Array.from({ length: 50 }, () => sessionKeys(claim)))
  expect(new Set(keys).size).toBe(1)
  expect(await sessionKeys(claim)).toBe(keys[0])
  expect(decryptSession).toHaveBeenCalledTimes(1)
})

test('a key is kept for 60 seconds from the unwrap, and use does not extend it', async () => {
  const { sessionKeys, decryptSession } = opened(async () => key())
  await sessionKeys(claim)
  for (let second = 1; second < 60; second++) {
    vi.advanceTimersByTime(1_000)
    await sessionKeys(claim)
  }
  expect(decryptSession).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_001)
  await sessionKeys(claim)
  expect(decryptSession).toHaveBeenCalledTimes(2)
})

test('the 60 seconds begin with the question, not with a late answer', async () => {
  const { promise, resolve } = Promise.withResolvers<ItemResult<Secret<Buffer>>>()
  const { sessionKeys, decryptSession } = opened(() => promise)
  const first = sessionKeys(claim)
  vi.advanceTimersByTime(59_000)
  resolve(key())
  await first
  vi.advanceTimersByTime(1_001)
  await sessionKeys(claim)
  expect(decryptSession).toHaveBeenCalledTimes(2)
})

test.each([
  ['actor', { ...claim, actor: 'svc-b' }],
  ['session', { ...claim, session: 'vault:v1:BBBB' }],
  ['until', { ...claim, until: claim.until + 1 }],
])('nobody gets the key of another %s', async (_, other) => {
  const { sessionKeys, decryptSession } = opened(async () => key(decryptSession.mock.calls.length))
  const keys = [await sessionKeys(claim), await sessionKeys(other)]
  expect(keys.map((each) => each?.export()[0])).toEqual([1, 2])
})

describe('what did not open is not kept', () => {
  test.each([
    ['a session that OpenBao rejects', async () => ({ error: 'rejected' as const })],
    ['a session under a retired key', async () => ({ error: 'retired' as const })],
    ['a key of another length', async () => ({ ok: new Secret(Buffer.alloc(31)) })],
    ['a key of no bytes', async () => ({ ok: new Secret(Buffer.alloc(0)) })],
    ['a Transit key that is not there', () => Promise.reject(new ContentRefused('transit', 400))],
  ])('%s is nobody’s', async (_, answer) => {
    const { sessionKeys, decryptSession } = opened(answer)
    expect(await sessionKeys(claim)).toBeUndefined()
    decryptSession.mockResolvedValue(key())
    expect(await sessionKeys(claim)).toBeDefined()
  })

  test('nor what failed for another reason', async () => {
    const { sessionKeys, decryptSession, guard } = opened(async () => key())
    decryptSession.mockRejectedValueOnce(new TypeError('a defect'))
    await expect(sessionKeys(claim)).rejects.toThrow('a defect')
    expect(await sessionKeys(claim)).toBeDefined()
    guard.close()
    await expect(sessionKeys({ ...claim, actor: 'svc-b' })).rejects.toThrow(ShuttingDown)
  })
})

test('an item that only failed is tried again, as long as Transit is healthy', async () => {
  vi.useRealTimers()
  const { sessionKeys, decryptSession } = opened(async () => key())
  decryptSession.mockResolvedValueOnce({ error: 'failed' })
  expect(await sessionKeys(claim)).toBeDefined()
  expect(decryptSession).toHaveBeenCalledTimes(2)
})
