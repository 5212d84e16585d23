import { expect, test } from 'vitest'
import { ShuttingDown, Unavailable } from '../../../../shared/errors/server-errors.ts'
import { until } from '../../../harness/until.ts'
import { openFake, perItem, plaintext } from './fake-openbao.ts'

const login = 'auth/approle/login'
const lookup = 'auth/token/lookup-self'
const decrypt = 'transit/decrypt/pii'
const decryptOne = ['vault:v1:x']

async function openGood() {
  const fake = await openFake()
  fake.bao.transit = perItem(() => ({ plaintext }))
  return fake
}

test('the first calls, however many at once, share one login', async () => {
  const { bao, transit } = await openGood()
  await Promise.all(Array.from({ length: 200 }, () => transit.decrypt('pii', decryptOne)))
  expect(bao.asked(login)).toBe(1)
})

test('200 calls in flight that find the token dead cost one login, and all succeed', async () => {
  const { bao, transit } = await openGood()
  await transit.decrypt('pii', decryptOne)
  bao.live.clear()
  const results = await Promise.all(Array.from({ length: 200 }, () => transit.decrypt('pii', decryptOne)))
  expect(results.flat().every((result) => 'ok' in result)).toBe(true)
  expect(bao.asked(login)).toBe(2)
})

test('a token that dies while calls are in flight is replaced once', async () => {
  const { bao, transit } = await openGood()
  bao.instead = ({ path }) => {
    if (path === decrypt && bao.asked(decrypt) === 30) bao.live.clear()
    return undefined
  }
  await Promise.all(Array.from({ length: 200 }, () => transit.decrypt('pii', decryptOne)))
  expect(bao.asked(login)).toBe(2)
})

test('a refusal that comes late, when the token was replaced long ago, costs no login', async () => {
  const { bao, transit } = await openGood()
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>()
  await transit.decrypt('pii', decryptOne)
  bao.instead = ({ path }) => (path === decrypt && bao.asked(decrypt) === 2 ? held : undefined)
  const late = transit.decrypt('pii', decryptOne)
  await until('it is asked', () => bao.asked(decrypt) === 2)
  bao.live.clear()
  await transit.decrypt('pii', decryptOne)
  release(undefined)
  expect(await late).toHaveLength(1)
  expect(bao.asked(login)).toBe(2)
  expect(bao.asked(lookup)).toBe(1)
})

test('word of a dead token that comes late does not take its successor away', async () => {
  const { bao, transit } = await openGood()
  const { promise: held, resolve: release } = Promise.withResolvers<{ status: number }>()
  await transit.decrypt('pii', decryptOne)
  bao.live.clear()
  bao.instead = ({ path }) => (path === lookup && bao.asked(lookup) === 1 ? held : undefined)
  const late = transit.decrypt('pii', decryptOne)
  await until('it is looked up', () => bao.asked(lookup) === 1)
  await transit.decrypt('pii', decryptOne)
  release({ status: 403 })
  expect(await late).toHaveLength(1)
  expect(bao.asked(login)).toBe(2)
})

test('a 403 under a live token is a policy’s word: the token is asked about, and nothing tried again', async () => {
  const { bao, transit } = await openFake()
  bao.transit = () => ({ status: 403, body: { errors: ['1 error occurred: * permission denied'] } })
  await expect(transit.decrypt('pii', decryptOne)).rejects.toMatchObject({ reason: 'refused our token' })
  expect(bao.questions.map(({ path }) => path)).toEqual([login, decrypt, lookup])
})

test('a new token that is refused as well leads to no third login', async () => {
  const { bao, transit } = await openGood()
  bao.instead = ({ path }) => {
    if (path === decrypt) bao.live.clear()
    return undefined
  }
  await expect(transit.decrypt('pii', decryptOne)).rejects.toMatchObject({ reason: 'refused our token' })
  expect(bao.asked(login)).toBe(2)
})

test.each([500, 503])('if nobody can say whether the token lives, it is kept: %i', async (status) => {
  const { bao, transit } = await openFake()
  bao.transit = () => ({ status: 403, body: { errors: ['permission denied'] } })
  bao.instead = ({ path }) => (path === lookup ? { status } : undefined)
  await expect(transit.decrypt('pii', decryptOne)).rejects.toThrow(Unavailable)
  expect(bao.asked(login)).toBe(1)
})

test('close gives the token back', async () => {
  const { bao, transit, close } = await openGood()
  await transit.decrypt('pii', decryptOne)
  await close()
  expect(bao.live.size).toBe(0)
})

test('close gives back the token of a login under way, and after it nobody logs in', async () => {
  const { bao, transit, close } = await openGood()
  const { promise: held, resolve: release } = Promise.withResolvers<undefined>()
  bao.instead = ({ path }) => (path === login ? held : undefined)
  const outcome = Promise.allSettled([transit.decrypt('pii', decryptOne)])
  await until('a login is under way', () => bao.asked(login) === 1)
  const closed = close()
  release(undefined)
  await closed
  await outcome
  expect(bao.live.size).toBe(0)
  await expect(transit.decrypt('pii', decryptOne)).rejects.toThrow(ShuttingDown)
  expect(bao.asked(login)).toBe(1)
})
