import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { Redis } from 'ioredis'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OpenBaoAdmin, workerFile } from '../../../provision/index.ts'
import { readKey } from '../../../provision/transit.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import { Secret } from '../../../shared/crypto/secret.ts'
import type { Stack } from '../../../stack/index.ts'
import { startService, stopService } from '../../../stack/index.ts'
import type { BareStack } from './bare-stack.ts'
import { startBareStack } from './bare-stack.ts'

/* From servers that know nothing of us to servers that are ready. */

let bare: BareStack
let stack: Stack
let bao: OpenBaoAdmin
let postgres: Client
let redis: Redis
let credentials: string

beforeAll(async () => {
  bare = await startBareStack()
  ;({ stack, bao, credentials } = bare)
  postgres = new Client({ connectionString: stack.addresses.databaseUrl })
  await postgres.connect()
  redis = new Redis(stack.addresses.queueUrl)
  redis.on('error', () => undefined)
})
afterAll(async () => {
  redis?.disconnect()
  await postgres?.end()
  await bare?.stop()
})

const rowsOf = async (sql: string) => (await postgres.query(sql)).rows
const dataOf = async (path: string) => ((await bao.read(path)) as { data: Record<string, unknown> }).data

const acl = (...words: string[]) => redis.call('ACL', ...words)
const queueUrlOf = async (queue: string) =>
  parseEnv(await readFile(workerFile(credentials, queue as QueueName), 'utf8'))['QUEUE_URL'] as string

/** Whether a pool gets in by what is written in its file. */
async function getsIn(url: string): Promise<boolean> {
  const { username, password } = new URL(url)
  const client = redis.duplicate()
  const answer = await client.call('AUTH', username, password).catch(() => undefined)
  client.disconnect()
  return answer === 'OK'
}

/** Everything that a set-up makes, in all servers and on disk. */
async function everything(): Promise<Record<string, unknown>> {
  const relations = "from pg_class c where relnamespace = 'vault'::regnamespace"
  const role = async (name: string) => ({
    ...(await dataOf(`auth/approle/role/${name}`)),
    ...(await dataOf(`auth/approle/role/${name}/role-id`)),
    policy: (await dataOf(`sys/policies/acl/${name}`))['policy'],
    secretIds: await bao.list(`auth/approle/role/${name}/secret-id`),
  })
  const file = async (name: string) => [name, await readFile(join(credentials, name), 'utf8')]
  return {
    mounts: await dataOf('sys/mounts'),
    logins: await dataOf('sys/auth'),
    kek: await dataOf('transit/keys/pii'),
    roles: await Promise.all(queues.map((queue) => role(`pii-worker-${queue}`))),
    databaseRoles: await rowsOf("select * from pg_authid where rolname like 'pii_vault%' order by rolname"),
    relations: await rowsOf(`select relname, relacl::text ${relations} order by 1`),
    columns: await rowsOf(
      `select relname, attname, attacl::text from pg_attribute join (select * ${relations}) c on c.oid = attrelid order by 1, 2`,
    ),
    functions: await rowsOf("select proname, proacl::text from pg_proc where pronamespace = 'vault'::regnamespace"),
    migrations: await rowsOf('select * from vault.migrations order by id'),
    queueUsers: (await acl('LIST')) as string[],
    files: await Promise.all((await readdir(credentials)).sort().map(file)),
  }
}

describe('a set-up', () => {
  test('is safe to run twice at once: both end well, and what they wrote fits together', async () => {
    await Promise.all([bare.setUp(), bare.setUp(), bare.setUp()])
    for (const queue of queues) {
      const { DATABASE_URL = '' } = parseEnv(await readFile(workerFile(credentials, queue), 'utf8'))
      const client = new Client({ connectionString: DATABASE_URL })
      await client.connect()
      expect((await client.query('select session_user as who')).rows).toEqual([{ who: `pii_vault_${queue}` }])
      await client.end()
      expect(await bao.list(`auth/approle/role/pii-worker-${queue}/secret-id`)).toHaveLength(1)
    }
  })

  test("keeps an item's place readable in OpenBao's audit, on a mount of its own making alone", async () => {
    const tune = 'sys/mounts/transit/tune'
    const [request, response] = ['audit_non_hmac_request_keys', 'audit_non_hmac_response_keys']
    expect(await dataOf(tune)).toMatchObject({ [request]: ['reference'], [response]: ['reference'] })
    await bao.write(tune, { [request]: ['key_version'] })
    await bare.setUp()
    expect(await dataOf(tune)).toMatchObject({ [request]: ['key_version'] })
  })

  test('changes nothing when it is run again', async () => {
    const versions = () => Promise.all(queues.map((queue) => dataOf(`sys/policies/acl/pii-worker-${queue}`)))
    const before = [await everything(), await versions()]
    expect(await bare.setUp()).toEqual([])
    expect([await everything(), await versions()]).toEqual(before)
  })

  test('puts back what was changed about the rights of the pools', async () => {
    const before = await everything()
    await bao.write('sys/policies/acl/pii-worker-detok', { policy: 'path "transit/*" { capabilities = ["update"] }' })
    await bao.write('auth/approle/role/pii-worker-detok', {
      token_policies: ['pii-worker-detok', 'pii-worker-tokenize'],
    })
    expect(await bare.setUp()).toContain('brought the policy pii-worker-detok up to date')
    expect(await everything()).toEqual(before)
  })

  test('puts back what was changed about the users of the queue, and lets them in as before', async () => {
    const before = await acl('LIST')
    await acl('SETUSER', 'pii-worker-detok', 'allkeys', '+flushall')
    expect(await bare.setUp()).toEqual(['brought the rights of the queue user pii-worker-detok up to date'])
    expect(await acl('LIST')).toEqual(before)
    await acl('DELUSER', 'pii-worker-detok', 'pii-worker-tokenize')
    expect(await bare.setUp()).toEqual(queues.map((queue) => `made the queue user pii-worker-${queue}`))
    expect(await acl('LIST')).toEqual(before)
    for (const queue of queues) expect(await getsIn(await queueUrlOf(queue))).toBe(true)
  })

  test('makes users of the queue that outlive a restart of the server', async () => {
    const before = await acl('LIST')
    await stopService(bare.stackDirectory, 'valkey')
    await startService(bare.stackDirectory, 'valkey')
    expect(await acl('LIST')).toEqual(before)
    for (const queue of queues) expect(await getsIn(await queueUrlOf(queue))).toBe(true)
  })

  test('adds the queue to credentials that were issued without it, and changes nothing else of them', async () => {
    const file = workerFile(credentials, 'detok')
    const before = await readFile(file, 'utf8')
    const without = before.replace(/QUEUE_URL=.*\n/, '')
    await writeFile(file, without)
    expect(await bare.setUp()).toEqual([`wrote ${file}`])
    expect((await readFile(file, 'utf8')).replace(/QUEUE_URL=.*\n/, '')).toBe(without)
    expect(await getsIn(await queueUrlOf('detok'))).toBe(true)
  })

  test('takes no password from workers that run, unless it is told to', async () => {
    const file = workerFile(credentials, 'detok')
    const { DATABASE_URL = '' } = parseEnv(await readFile(file, 'utf8'))
    await rm(file)
    await expect(bare.setUp()).rejects.toThrow(/^The role pii_vault_detok was given a password before.*--renew/)
    const client = new Client({ connectionString: DATABASE_URL })
    await client.connect()
    await client.end()
    await bare.setUp({ renew: true })
    const late = new Client({ connectionString: DATABASE_URL })
    await expect(late.connect()).rejects.toMatchObject({ code: '28P01' })
  })

  test('writes credentials for their owner alone, and tells none', async () => {
    await rm(credentials, { recursive: true })
    const said = (await bare.setUp({ renew: true })).join('\n')
    expect((await stat(credentials)).mode & 0o777).toBe(0o700)
    const files = await readdir(credentials)
    expect(files.sort()).toEqual(['detok.env', 'detok.secret-id', 'tokenize.env', 'tokenize.secret-id'])
    for (const name of files) {
      expect((await stat(join(credentials, name))).mode & 0o777, name).toBe(0o600)
      const content = await readFile(join(credentials, name), 'utf8')
      const password = /:([^:@/]+)@/.exec(content)?.[1]
      const secrets = [name.endsWith('.env') ? password : content.trim()]
      for (const secret of secrets) expect(said).not.toContain(secret)
    }
    expect(said).not.toContain(stack.transitRootToken.reveal())
  })

  test('tells Postgres no password, whatever it logs: the roles get a verifier, with which they log in', async () => {
    await postgres.query("alter system set log_statement = 'all'")
    await postgres.query('select pg_reload_conf()')
    await rm(credentials, { recursive: true })
    await bare.setUp({ renew: true })
    await postgres.query('alter system reset log_statement')
    const log = await readFile(join(bare.stackDirectory, 'postgres', 'server.log'), 'utf8')
    for (const queue of queues) {
      const { DATABASE_URL = '' } = parseEnv(await readFile(workerFile(credentials, queue), 'utf8'))
      expect(log).toContain(`alter role pii_vault_${queue} password`)
      expect(log).not.toContain(new URL(DATABASE_URL).password)
      const client = new Client({ connectionString: DATABASE_URL })
      await client.connect()
      await client.end()
    }
    for (const { rolpassword } of await rowsOf("select rolpassword from pg_authid where rolname like 'pii_vault%'")) {
      expect(rolpassword).toMatch(/^SCRAM-SHA-256\$4096:[^$]{24}\$[^:]{44}:.{44}$/)
    }
  })

  test('makes a partition of the audit for this month and a year ahead, into which its rows fall', async () => {
    const { rows } = await postgres.query<{ name: string }>(
      "select relname as name from pg_class where relnamespace = 'vault'::regnamespace and relkind = 'r' and relname ~ '^audit_[0-9]' order by 1",
    )
    const now = new Date()
    const months = Array.from({ length: 13 }, (_, ahead) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead)).toISOString().slice(0, 7).replace('-', '_'),
    )
    expect(rows.map(({ name }) => name)).toEqual(months.map((month) => `audit_${month}`))
    const insert = (at: string) =>
      postgres.query(
        `insert into vault.audit (worker, attempt, items, action, outcome, at) values ('test', 1, 1, 'detok', 'ok', ${at}) returning tableoid::regclass::text as partition`,
      )
    expect((await insert('now()')).rows).toEqual([{ partition: `vault.audit_${months[0]}` }])
    for (const [at, month] of [
      ['first moment of a month', `${months[3]}-01T00:00:00Z`],
      ['last moment of a month', `${months[3]}-28T23:59:59.999Z`],
    ] as const) {
      const time = `'${month.replace('_', '-')}'::timestamptz`
      expect((await insert(time)).rows, at).toEqual([{ partition: `vault.audit_${months[3]}` }])
    }
    const { rows: strays } = await postgres.query('select count(*)::int as count from vault.audit_default')
    expect(strays).toEqual([{ count: 0 }])
    expect((await insert("now() + interval '3 years'")).rows, 'kept rather than refused').toEqual([
      { partition: 'vault.audit_default' },
    ])
  })

  test('leaves the pools unable to make the KEK, should it be missing', async () => {
    await bao.write('transit/keys/pii/config', { deletion_allowed: true })
    await bao.delete('transit/keys/pii')
    const tokenize = new OpenBaoAdmin({ address: stack.addresses.transitAddr }, await tokenOf('tokenize'))
    await expect(tokenize.write('transit/encrypt/pii', { plaintext: 'AAAA' })).rejects.toThrow('refused')
    await tokenize.close()
    expect(await readKey(bao, 'pii')).toBeUndefined()
  })
})

async function tokenOf(queue: string): Promise<Secret> {
  const env = await readFile(join(credentials, `${queue}.env`), 'utf8')
  const role_id = /TRANSIT_ROLE_ID=(.*)/.exec(env)?.[1]
  const secret_id = (await readFile(join(credentials, `${queue}.secret-id`), 'utf8')).trim()
  const answer = await bao.write('auth/approle/login', { role_id, secret_id })
  return new Secret((answer as { auth: { client_token: string } }).auth.client_token)
}
