import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Secret } from '../../../../shared/crypto/secret.ts'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import { exitCodes, UserError } from '../../../../shared/errors/user-error.ts'
import { secretIdFromFile } from '../../../../shared/transit/index.ts'
import { openFake, perItem, plaintext } from './fake-openbao.ts'

const login = 'auth/approle/login'

async function secretIdFile(content: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'secret-id-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'secret-id')
  await writeFile(path, content)
  return path
}

test('wrong credentials are tried twice and never again, however many ask', async () => {
  const { bao, transit } = await openFake(async () => new Secret('wrong'))
  const ask = () => transit.decrypt('pii', ['vault:v1:x'])
  const calls = [...(await Promise.allSettled(Array.from({ length: 50 }, ask))), ...(await Promise.allSettled([ask()]))]
  for (const call of calls) {
    expect(call).toMatchObject({ status: 'rejected', reason: { exitCode: exitCodes.credentials } })
    expect(call.status === 'rejected' && call.reason).toBeInstanceOf(UserError)
  }
  expect(bao.asked(login)).toBe(2)
  expect(bao.questions).toHaveLength(2)
})

test.each([400, 403])('a login refused with %i once, as while a secret id is exchanged, goes on', async (status) => {
  const { bao, transit } = await openFake()
  bao.transit = perItem(() => ({ plaintext }))
  bao.instead = ({ path }) =>
    path === login && bao.asked(login) === 1 ? { status, body: { errors: ['CANARY'] } } : undefined
  await transit.decrypt('pii', ['vault:v1:x'])
  expect(bao.asked(login)).toBe(2)
})

test('tries are counted anew after each login that succeeds', async () => {
  const { bao, transit } = await openFake()
  bao.transit = perItem(() => ({ plaintext }))
  bao.instead = ({ path }) => (path === login && bao.asked(login) % 2 === 1 ? { status: 400 } : undefined)
  for (let i = 0; i < 5; i++) {
    bao.live.clear()
    expect(await transit.decrypt('pii', ['vault:v1:x'])).toHaveLength(1)
  }
  expect(bao.asked(login)).toBe(10)
})

test.each([
  [500, 'server error'],
  [503, 'sealed or standby'],
  [404, 'unexpected answer'],
  [200, 'unexpected answer'],
])(
  'a login that is answered with %i says nothing of the credentials: it may be tried again',
  async (status, reason) => {
    const { bao, transit } = await openFake()
    bao.transit = perItem(() => ({ plaintext }))
    bao.instead = ({ path }) => (path === login && bao.asked(login) <= 5 ? { status, body: {} } : undefined)
    for (let i = 0; i < 5; i++) {
      const error: unknown = await transit.decrypt('pii', ['vault:v1:x']).catch((thrown: unknown) => thrown)
      expect(error).toBeInstanceOf(Unavailable)
      expect(error).toMatchObject({ reason })
    }
    expect(await transit.decrypt('pii', ['vault:v1:x'])).toHaveLength(1)
  },
)

test('the secret id is read from its file at each login, without its line break', async () => {
  const path = await secretIdFile('right\n')
  const { bao, transit } = await openFake(secretIdFromFile(path))
  bao.transit = perItem(() => ({ plaintext }))
  await transit.decrypt('pii', ['vault:v1:x'])
  await writeFile(path, 'rotated\n')
  bao.secretId = 'rotated'
  bao.live.clear()
  expect(await transit.decrypt('pii', ['vault:v1:x'])).toHaveLength(1)
  expect(bao.asked(login)).toBe(2)
})

test('a secret id file that cannot be read is named, and no login is wasted on it', async () => {
  const { bao, transit } = await openFake(secretIdFromFile('/nowhere/secret-id'))
  await expect(transit.decrypt('pii', ['vault:v1:x'])).rejects.toThrow(/\/nowhere\/secret-id cannot be read/)
  expect(bao.questions).toEqual([])
})

test('no error quotes a credential', async () => {
  const { transit } = await openFake(async () => new Secret('CANARY-SECRET'))
  const error: unknown = await transit.decrypt('pii', ['vault:v1:x']).catch((thrown: unknown) => thrown)
  expect(String(error)).not.toMatch(/CANARY|role-/)
})
