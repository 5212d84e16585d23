import type { KeyObject } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { aesKey } from '../../../shared/crypto/aes-gcm.ts'
import { ContentRefused, ShuttingDown, Unavailable } from '../../../shared/errors/server-errors.ts'
import { Dependency } from '../../../shared/lifecycle/dependency.ts'
import { createLogger } from '../../../shared/log/log.ts'
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
const key = (byte = 7): KeyObject => aesKey(Buffer.alloc(32, byte))

/** Session keys from a Transit that answers as the test says. */
function opened(answer: () => Promise<KeyObject | undefined>) {
  const sessionKey = vi.fn(answer)
  const guard = new Dependency({
    name: 'transit',
    server: { sessionKey },
    probe: async () => undefined,
    log: createLogger('silent', 'test'),
  })
  const dependencies = { transit: guard } as unknown as Dependencies
  return { sessionKeys: createSessionKeys('detok', dependencies), sessionKey, guard }
}

test('a session is unwrapped under the key of its queue and actor, bound to its associated data', async () => {
  const { sessionKeys, sessionKey } = opened(async () => key())
  expect((await sessionKeys(claim))?.export()).toEqual(Buffer.alloc(32, 7))
  const aad = Buffer.from('pii1\nsession\ndetok\nsvc-a\n1800000000')
  expect(sessionKey.mock.calls).toEqual([['queue-detok-svc-a', claim.session, aad]])
})

test('requests of one session, at once or later, share an unwrap', async () => {
  const { sessionKeys, sessionKey } = opened(async () => key())
  const keys = await Promise.all(Array.from({ length: 50 }, () => sessionKeys(claim)))
  expect(new Set(keys).size).toBe(1)
  expect(await sessionKeys(claim)).toBe(keys[0])
  expect(sessionKey).toHaveBeenCalledTimes(1)
})

test('a key is kept for 60 seconds from the unwrap, and use does not extend it', async () => {
  const { sessionKeys, sessionKey } = opened(async () => key())
  await sessionKeys(claim)
  for (let second = 1; second < 60; second++) {
    vi.advanceTimersByTime(1_000)
    await sessionKeys(claim)
  }
  expect(sessionKey).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(1_001)
  await sessionKeys(claim)
  expect(sessionKey).toHaveBeenCalledTimes(2)
})

test('the 60 seconds begin with the question, not with a late answer', async () => {
  const { promise, resolve } = Promise.withResolvers<KeyObject | undefined>()
  const { sessionKeys, sessionKey } = opened(() => promise)
  const first = sessionKeys(claim)
  vi.advanceTimersByTime(59_000)
  resolve(key())
  await first
  vi.advanceTimersByTime(1_001)
  await sessionKeys(claim)
  expect(sessionKey).toHaveBeenCalledTimes(2)
})

test.each([
  ['actor', { ...claim, actor: 'svc-b' }],
  ['session', { ...claim, session: 'vault:v1:BBBB' }],
  ['until', { ...claim, until: claim.until + 1 }],
])('nobody gets the key of another %s', async (_, other) => {
  const { sessionKeys, sessionKey } = opened(async () => key(sessionKey.mock.calls.length))
  const keys = [await sessionKeys(claim), await sessionKeys(other)]
  expect(keys.map((each) => each?.export()[0])).toEqual([1, 2])
})

describe('what did not open is not kept', () => {
  test.each([
    ['a session that OpenBao refuses', async () => undefined],
    ['a Transit key that is not there', () => Promise.reject(new ContentRefused('transit', 400))],
  ])('%s is nobody’s', async (_, answer) => {
    const { sessionKeys, sessionKey } = opened(answer)
    expect(await sessionKeys(claim)).toBeUndefined()
    sessionKey.mockResolvedValue(key())
    expect(await sessionKeys(claim)).toBeDefined()
  })

  test('nor what failed for another reason', async () => {
    const { sessionKeys, sessionKey, guard } = opened(async () => key())
    sessionKey.mockRejectedValueOnce(new TypeError('a defect'))
    await expect(sessionKeys(claim)).rejects.toThrow('a defect')
    expect(await sessionKeys(claim)).toBeDefined()
    guard.close()
    await expect(sessionKeys({ ...claim, actor: 'svc-b' })).rejects.toThrow(ShuttingDown)
  })
})

test('an unwrap that only failed is tried again, as long as Transit is healthy', async () => {
  vi.useRealTimers()
  const { sessionKeys, sessionKey } = opened(async () => key())
  sessionKey.mockRejectedValueOnce(new Unavailable('transit', 'server error'))
  expect(await sessionKeys(claim)).toBeDefined()
  expect(sessionKey).toHaveBeenCalledTimes(2)
})
