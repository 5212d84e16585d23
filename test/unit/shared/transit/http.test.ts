import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../../shared/crypto/secret.ts'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import { OpenBaoHttp } from '../../../../shared/transit/http.ts'
import { openTransit } from '../../../../shared/transit/index.ts'
import { openFake, perItem, plaintext } from './fake-openbao.ts'

const canary = 'CANARY-4711'
const call = async (
  instead: (response: ServerResponse) => void,
  path = 'transit/decrypt/pii',
): Promise<Unavailable> => {
  const { bao, transit } = await openFake()
  bao.instead = (question, response) => {
    if (question.path === path) instead(response)
    return undefined
  }
  const error: unknown = await transit.decrypt('pii', [`vault:v1:${canary}`]).catch((thrown: unknown) => thrown)
  expect(inspect(error, { depth: 9 })).not.toContain(canary)
  expect(error).toBeInstanceOf(Unavailable)
  return error as Unavailable
}

describe('no whole answer is no answer, and none of its text is passed on', () => {
  test('not JSON', async () => {
    expect(await call((response) => response.end(`<html>${canary}`))).toMatchObject({ reason: 'incomplete answer' })
  })

  test('JSON of which the end is missing', async () => {
    expect(await call((response) => response.end(`{"data": "${canary}`))).toMatchObject({ reason: 'incomplete answer' })
  })

  test.each(['transit/decrypt/pii', 'auth/approle/login'])('cut off half-way: %s', async (path) => {
    const error = await call((response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write(`{"data": "${canary}`, () => response.destroy())
    }, path)
    expect(error.reason).toBe('unreachable')
  })

  test('hung up on', async () => {
    expect(await call((response) => response.destroy())).toMatchObject({ reason: 'unreachable' })
  })

  test('longer than 32 MiB', async () => {
    const error = await call((response) => response.end(`"${canary.repeat(3_200_000)}"`))
    expect(error.reason).toBe('incomplete answer')
  })

  test.each([
    ['before the answer', () => undefined],
    ['within it', (response: ServerResponse) => response.writeHead(200).write(`{"data": "${canary}`)],
  ])('a server that falls silent %s', async (_, instead) => {
    const { bao } = await openFake()
    const { promise, resolve } = Promise.withResolvers<undefined>()
    bao.instead = (__, response) => {
      instead(response)
      return promise
    }
    const http = new OpenBaoHttp({ address: bao.address }, 20)
    await expect(http.request('GET', 'sys/health')).rejects.toMatchObject({ reason: 'timeout' })
    resolve(undefined)
    await http.close()
  })

  test('nobody listens', async () => {
    const http = new OpenBaoHttp({ address: 'http://127.0.0.1:1' })
    const error = await http.request('GET', 'sys/health').catch((thrown: unknown) => thrown)
    expect(error).toEqual(
      new Unavailable('transit', 'unreachable', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) }),
    )
    await http.close()
  })
})

test.each([301, 302, 307, 308])('a redirect is not followed, and no token travels: %i', async (status) => {
  const { bao: other } = await openFake()
  const error = await call((response) => response.writeHead(status, { location: `${other.address}/v1/x` }).end())
  expect(error.reason).toBe('redirect')
  expect(other.questions).toEqual([])
})

describe('429 and 503 say how long to wait, if they say it', () => {
  test.each([
    [429, undefined, 'throttled', undefined],
    [503, undefined, 'sealed or standby', undefined],
    [429, '7', 'throttled', 7_000],
    [503, '0', 'sealed or standby', 0],
    [429, '86400', 'throttled', 60_000],
    [429, '-5', 'throttled', undefined],
    [429, '', 'throttled', undefined],
    [429, '1e9', 'throttled', undefined],
    [503, 'Wed, 21 Oct 2026 07:28:00 GMT', 'sealed or standby', undefined],
    [503, canary, 'sealed or standby', undefined],
  ])('%i with Retry-After %j', async (status, retryAfter, reason, retryAfterMs) => {
    const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
    const error = await call((response) => response.writeHead(status, headers).end(`{"errors": ["${canary}"]}`))
    expect(error).toMatchObject({ reason, retryAfterMs })
  })
})

test('the namespace travels with every question, login included', async () => {
  const { bao } = await openFake()
  bao.transit = perItem(() => ({ plaintext }))
  const role = { roleId: 'role', secretId: async () => new Secret('right') }
  const namespaces: unknown[] = []
  bao.instead = (_, response) => {
    namespaces.push(response.req.headers['x-vault-namespace'])
    return undefined
  }
  const { transit, close } = openTransit({ address: bao.address, namespace: 'team-a' }, role)
  await transit.decrypt('pii', ['vault:v1:x'])
  await close()
  expect(namespaces).toEqual(['team-a', 'team-a', 'team-a'])
})
