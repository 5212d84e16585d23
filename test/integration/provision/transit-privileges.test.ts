import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { workerFile } from '../../../provision/index.ts'
import { readKey } from '../../../provision/transit.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import { sessionKeyName } from '../../../shared/contract/names.ts'
import { Secret } from '../../../shared/crypto/secret.ts'
import { OpenBaoHttp } from '../../../shared/transit/http.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

/* What each token of OpenBao may do, and that it may do no more: 403 is a refusal of its policy. */

let vault: TestVault
let http: OpenBaoHttp
let app: TestActor
let other: TestActor
const tokens: Record<string, Secret> = {}
const plaintext = Buffer.alloc(32).toString('base64')
const ciphertext = `vault:v1:${Buffer.alloc(60).toString('base64')}`

beforeAll(async () => {
  vault = await TestVault.open()
  http = new OpenBaoHttp({ address: vault.stack.transitAddr })
  vault.onClose(() => http.close())
  app = await vault.actor('app')
  other = await vault.actor('other')
  for (const queue of queues) {
    const env = parseEnv(readFileSync(workerFile(vault.stack.credentials, queue), 'utf8'))
    tokens[queue] = await logIn(
      env['TRANSIT_ROLE_ID'],
      readFileSync(env['TRANSIT_SECRET_ID_FILE'] ?? '', 'utf8').trim(),
    )
  }
  tokens['app'] = await logIn(app.roleId, app.secretId.reveal())
})
afterAll(() => vault.close())

async function logIn(role_id: string | undefined, secret_id: string): Promise<Secret> {
  const { body } = await http.request('POST', 'auth/approle/login', undefined, { role_id, secret_id })
  const token = new Secret((body as { auth: { client_token: string } }).auth.client_token)
  vault.onClose(() => http.request('POST', 'auth/token/revoke-self', token))
  return token
}

const contents: Record<string, object> = {
  encrypt: { plaintext },
  decrypt: { ciphertext },
  rewrap: { ciphertext },
  datakey: {},
}

async function status(who: string, path: string, method: 'POST' | 'GET' | 'DELETE' = 'POST'): Promise<number> {
  const content = method === 'POST' ? (contents[path.split('/')[0] ?? ''] ?? {}) : undefined
  return (await http.request(method, `transit/${path}`, tokens[who], content)).status
}

describe('each has what it needs', () => {
  // A ciphertext of no key is refused by Transit itself, with 400: so the policy let it through.
  test.each([
    ['detok', 'decrypt/pii', 400],
    ['detok', 'decrypt/queue-detok-APP', 400],
    ['tokenize', 'encrypt/pii', 200],
    ['tokenize', 'decrypt/queue-tokenize-APP', 400],
    ['app', 'datakey/plaintext/queue-detok-APP', 200],
    ['app', 'datakey/plaintext/queue-tokenize-APP', 200],
    ['app', 'decrypt/queue-detok-APP', 400],
    ['app', 'decrypt/queue-tokenize-APP', 400],
  ])('%s: %s', async (who, path, expected) => {
    expect(await status(who, path.replace('APP', app.name))).toBe(expected)
  })
})

test.each(['detok', 'tokenize', 'app'])(
  "%s does without OpenBao's default policy, and keeps its own token",
  async (who) => {
    const self = async (method: 'GET' | 'POST', path: string) =>
      http.request(method, `auth/token/${path}`, tokens[who], method === 'POST' ? {} : undefined)
    const { status: looked, body } = await self('GET', 'lookup-self')
    expect(looked).toBe(200)
    expect((body as { data: { policies: string[] } }).data.policies).not.toContain('default')
    expect((await self('POST', 'renew-self')).status).toBe(200)
  },
)

describe('and nothing else', () => {
  const keys = ['pii', 'queue-detok-APP', 'queue-tokenize-APP', 'queue-detok-OTHER', 'queue-tokenize-OTHER']
  const allowed: Record<string, string[]> = {
    detok: ['decrypt/pii', 'decrypt/queue-detok-APP', 'decrypt/queue-detok-OTHER'],
    tokenize: ['encrypt/pii', 'decrypt/queue-tokenize-APP', 'decrypt/queue-tokenize-OTHER'],
    app: queues.flatMap((queue) => [`datakey/plaintext/queue-${queue}-APP`, `decrypt/queue-${queue}-APP`]),
  }
  const operations = ['encrypt', 'decrypt', 'rewrap', 'datakey/plaintext', 'datakey/wrapped', 'hmac', 'sign']
  const questions = Object.keys(allowed).flatMap((who) =>
    keys.flatMap((key) =>
      operations
        .map((operation) => `${operation}/${key}`)
        .filter((path) => !allowed[who]?.includes(path))
        .map((path) => [who, path] as const),
    ),
  )
  const real = (path: string) => path.replace('APP', app.name).replace('OTHER', other.name)

  test.each(questions)('%s: %s', async (who, path) => {
    expect(await status(who, real(path))).toBe(403)
  })

  test.each(Object.keys(allowed))('%s neither reads, changes, makes nor removes a key', async (who) => {
    for (const key of keys.map(real)) {
      expect(await status(who, `keys/${key}`, 'GET')).toBe(403)
      expect(await status(who, `keys/${key}`, 'DELETE')).toBe(403)
      for (const change of ['', '/config', '/rotate', '/trim'])
        expect(await status(who, `keys/${key}${change}`)).toBe(403)
      for (const what of ['export/encryption-key', 'backup', 'restore']) {
        expect(await status(who, `${what}/${key}`, 'GET')).toBe(403)
      }
    }
    expect(await status(who, 'keys?list=true', 'GET')).toBe(403)
  })

  test('a misspelt key is refused, and not made', async () => {
    for (const [who, key] of [
      ['tokenize', 'pii2'],
      ['app', `queue-detok-${app.name}2`],
      ['app', 'queue-detok-'],
    ] as const) {
      for (const operation of ['encrypt', 'datakey/plaintext'])
        expect(await status(who, `${operation}/${key}`)).toBe(403)
      expect(await readKey(vault.bao, key === 'queue-detok-' ? `${key}x` : key)).toBeUndefined()
    }
    const missing = sessionKeyName('tokenize', `nobody-${vault.id}`)
    expect(await status('tokenize', `decrypt/${missing}`)).not.toBe(200)
    expect(await readKey(vault.bao, missing)).toBeUndefined()
  })

  test.each(Object.keys(allowed))(
    '%s has no way to more: no roles, secret ids, policies, mounts or tokens',
    async (who) => {
      const token = tokens[who]
      for (const path of [
        `auth/approle/role/pii-actor-${other.name}/secret-id`,
        `auth/approle/role/pii-actor-${app.name}/secret-id`,
        'auth/approle/role/pii-worker-detok/secret-id',
        'auth/token/create',
        'sys/policies/acl/pii-worker-detok',
        'sys/mounts/more',
        'sys/seal',
      ]) {
        expect((await http.request('POST', path, token, {})).status, path).toBe(403)
      }
    },
  )
})
