import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { OpenBaoAdmin } from '../../../provision/index.ts'
import { Secret } from '../../../shared/crypto/secret.ts'
import type { Stack } from '../../../stack/index.ts'
import { startService, stopService } from '../../../stack/index.ts'
import type { BareStack } from './bare-stack.ts'
import { startBareStack } from './bare-stack.ts'

let bare: BareStack
let stack: Stack
let bao: OpenBaoAdmin

beforeAll(async () => {
  bare = await startBareStack()
  stack = bare.stack
  bao = bare.bao
})
afterAll(() => bare?.stop())

describe('a key that must not protect PII is refused', () => {
  beforeAll(() => bao.write('sys/mounts/transit', { type: 'transit' }))

  test.each([
    ['exportable', { exportable: true }, 'can be exported'],
    ['open to plaintext backup', { allow_plaintext_backup: true }, 'can be exported'],
    ['derived', { derived: true }, 'not a plain aes256-gcm96 key'],
    ['of another type', { type: 'chacha20-poly1305' }, 'not a plain aes256-gcm96 key'],
    ['for signing', { type: 'ed25519' }, 'not a plain aes256-gcm96 key'],
  ])('%s', async (_, parameters, message) => {
    await bao.write('transit/keys/pii', parameters)
    const refused = bare.setUp()
    await expect(refused).rejects.toMatchObject({ name: 'UserError', message: expect.stringContaining(message) })
    await expect(refused).rejects.toThrow('Transit key pii exists')
    await bao.write('transit/keys/pii/config', { deletion_allowed: true })
    await bao.delete('transit/keys/pii')
  })
})

describe('a database role that is there and may do more than a worker must is refused, with how to mend it', () => {
  const role = 'pii_vault_tokenize'
  const asSuperuser = async (sql: string) => {
    const client = new Client({ connectionString: stack.addresses.databaseUrl })
    await client.connect()
    await client.query(sql).finally(() => client.end())
  }

  test.each([
    ['superuser', `create role ${role} login superuser`, `alter role ${role} nosuperuser;`],
    ['createrole', `create role ${role} login createrole createdb`, `alter role ${role} nocreatedb nocreaterole;`],
    ['replication', `create role ${role} login replication`, `alter role ${role} noreplication;`],
    ['bypassrls', `create role ${role} login bypassrls`, `alter role ${role} nobypassrls;`],
    [
      'member of another',
      `create role ${role} login noinherit in role pg_read_all_data, "Other one"`,
      `revoke "Other one" from ${role};`,
    ],
  ])('%s', async (_, make, cure) => {
    await asSuperuser(`create role "Other one"; ${make}`)
    try {
      const error: unknown = await bare.setUp().catch((reason: unknown) => reason)
      expect(error).toMatchObject({ name: 'UserError', message: expect.stringContaining(`\`${cure}\``) })
      const said = error as Error
      for (const [, sql = ''] of said.message.matchAll(/`([^`]+)`/g)) await asSuperuser(sql)
      // Anew, as the case before has left the other pool's role with a password.
      await bare.setUp({ renew: true })
    } finally {
      await asSuperuser(
        `drop owned by ${role}; drop role ${role}; drop role "Other one"; drop schema if exists vault cascade`,
      )
    }
  })
})

describe('a server that cannot be used is named, with what to do and without a secret', () => {
  const secret = 'not-to-be-told'
  const nowhere = '127.0.0.1:1'
  const refused = async (change: Parameters<BareStack['setUp']>[0], ...words: string[]) => {
    const error: unknown = await bare.setUp(change).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'UserError' })
    const { message } = error as Error
    for (const word of words) expect(message).toContain(word)
    for (const told of [secret, stack.transitRootToken.reveal(), new URL(stack.addresses.databaseUrl).password]) {
      expect(message).not.toContain(told)
    }
  }

  test('Postgres is not there', async () => {
    const databaseUrl = `postgres://postgres:${secret}@${nowhere}/pii_vault`
    await refused({ databaseUrl }, 'Postgres', nowhere, 'DATABASE_URL', 'ECONNREFUSED', 'running')
  })

  test('Postgres refuses the password', async () => {
    const url = new URL(stack.addresses.databaseUrl)
    url.password = secret
    await refused({ databaseUrl: url.href }, 'Postgres', url.host, 'DATABASE_URL', '28P01')
  })

  test('OpenBao is not there', async () => {
    await refused({ address: `http://${nowhere}` }, 'OpenBao', nowhere, 'unreachable', 'running')
  })

  test('OpenBao refuses the token', async () => {
    await refused({ token: new Secret(secret) }, 'OpenBao', 'BAO_TOKEN')
  })

  test('OpenBao is sealed', async () => {
    await bao.write('sys/seal', {})
    await refused({}, 'OpenBao', new URL(stack.addresses.transitAddr).host, 'sealed')
    await stopService(bare.stackDirectory, 'openbao')
    await startService(bare.stackDirectory, 'openbao')
  })
})
