import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openFake, perItem, plaintext } from './fake-openbao.ts'

const login = 'auth/approle/login'
const renew = 'auth/token/renew-self'

/* Only these are faked: the sockets go on as they are, and what they bring is waited for. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const seconds = (count: number) => vi.advanceTimersByTime(count * 1_000)
/** Until this many of the path were asked and answered. */
async function asked(bao: Awaited<ReturnType<typeof openFake>>['bao'], path: string, count: number): Promise<void> {
  for (let turns = 0; bao.asked(path) < count && turns < 10_000; turns++) await new Promise(setImmediate)
  for (let turns = 0; turns < 50; turns++) await new Promise(setImmediate)
  expect(bao.asked(path)).toBe(count)
}

async function openLoggedIn(leaseSeconds: number) {
  const fake = await openFake()
  fake.bao.leaseSeconds = leaseSeconds
  fake.bao.transit = perItem(() => ({ plaintext }))
  await fake.transit.decrypt('pii', ['vault:v1:x'])
  return fake
}

test('a token is renewed at two thirds of its lease, and again', async () => {
  const { bao } = await openLoggedIn(3_000)
  seconds(1_999)
  await asked(bao, renew, 0)
  seconds(1)
  await asked(bao, renew, 1)
  seconds(1_999)
  await asked(bao, renew, 1)
  seconds(1)
  await asked(bao, renew, 2)
  expect(bao.asked(login)).toBe(1)
})

test('a renewal that grants less is renewed sooner', async () => {
  const { bao } = await openLoggedIn(3_000)
  bao.leaseSeconds = 1_800
  seconds(2_000)
  await asked(bao, renew, 1)
  seconds(1_200)
  await asked(bao, renew, 2)
})

test('a renewal that grants next to nothing is followed by a login, before the token ends', async () => {
  const { bao, transit } = await openLoggedIn(3_000)
  bao.leaseSeconds = 30
  seconds(2_000)
  await asked(bao, login, 2)
  await transit.decrypt('pii', ['vault:v1:x'])
  expect(bao.questions.at(-1)?.token).toBe('token-2')
})

test.each([400, 403])('a renewal refused with %i is followed by a login', async (status) => {
  const { bao } = await openLoggedIn(3_000)
  bao.instead = ({ path }) => (path === renew ? { status, body: { errors: ['CANARY'] } } : undefined)
  seconds(2_000)
  await asked(bao, login, 2)
})

test('a renewal that no server answers disturbs nobody: the token is used while it lives', async () => {
  const { bao, transit } = await openLoggedIn(3_000)
  bao.instead = ({ path }) => (path === renew ? { status: 503 } : undefined)
  seconds(2_000)
  await asked(bao, renew, 1)
  expect(await transit.decrypt('pii', ['vault:v1:x'])).toHaveLength(1)
  expect(bao.asked(login)).toBe(1)
})

test('a renewal answered after the token was found dead brings it not back', async () => {
  const { bao, transit } = await openLoggedIn(3_000)
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>()
  bao.instead = ({ path }) =>
    path === renew
      ? held.then(() => ({ status: 200, body: { auth: { client_token: 'token-1', lease_duration: 3_000 } } }))
      : undefined
  seconds(2_000)
  await asked(bao, renew, 1)
  bao.live.clear()
  await transit.decrypt('pii', ['vault:v1:x'])
  release(undefined)
  await asked(bao, login, 2)
  await transit.decrypt('pii', ['vault:v1:x'])
  expect(bao.questions.at(-1)?.token).toBe('token-2')
})

test.each([0, 90 * 86_400])('a lease of %i seconds is no reason to renew again and again', async (leaseSeconds) => {
  const { bao } = await openLoggedIn(leaseSeconds)
  seconds(3_600)
  await asked(bao, renew, 0)
})

test('nothing is renewed after close', async () => {
  const { bao, close } = await openLoggedIn(3_000)
  await close()
  expect(vi.getTimerCount()).toBe(0)
  seconds(10_000)
  await asked(bao, renew, 0)
})
