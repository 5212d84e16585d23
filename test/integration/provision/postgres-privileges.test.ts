import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { workerFile } from '../../../provision/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { queues } from '../../../shared/contract/grammar.ts'

/* What each pool's database role may do, and that it may do no more. */

const denied = '42501'
const clients = {} as Record<QueueName, Client>

beforeAll(async () => {
  for (const queue of queues) {
    const { DATABASE_URL } = parseEnv(readFileSync(workerFile(inject('stack').credentials, queue), 'utf8'))
    clients[queue] = new Client({ connectionString: DATABASE_URL as string })
    await clients[queue].connect()
  }
})
afterAll(async () => {
  for (const queue of queues) await clients[queue]?.end()
})

/** `allowed`, or the SQLSTATE of the refusal. Nothing is kept of what was allowed. */
async function ask(queue: QueueName, sql: string): Promise<string> {
  await clients[queue].query('begin')
  try {
    await clients[queue].query(sql)
    return 'allowed'
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await clients[queue].query('rollback')
  }
}

const token = 'gen_random_uuid()'
const auditColumns = 'worker, attempt, items, action, outcome'
const auditValues = "'w', 1, 1, 'detok', 'ok'"
const recordColumns = 'token, tenant, field, subject, ct, wdek, actor, request_id, item, request_hash'
const record = `${token}, 't', 'f', '', '\\x00', 'vault:v1:x', 'a', ${token}, 0, decode(repeat('00', 16), 'hex')`

test('detok reads records', async () => {
  expect(await ask('detok', 'select ct, wdek from vault.records limit 1')).toBe('allowed')
})

test('tokenize adds records, and finds out what a request stored before', async () => {
  expect(await ask('tokenize', `insert into vault.records (${recordColumns}) values (${record})`)).toBe('allowed')
  expect(await ask('tokenize', 'select token, actor, request_id, item, request_hash from vault.records')).toBe(
    'allowed',
  )
})

test.each(queues)('%s adds audit rows', async (queue) => {
  expect(await ask(queue, `insert into vault.audit (${auditColumns}) values (${auditValues})`)).toBe('allowed')
})

describe('records are out of reach', () => {
  test.each([
    ['detok', `insert into vault.records (${recordColumns}) values (${record})`],
    ['tokenize', `insert into vault.records (${recordColumns}, created_at) values (${record}, now())`],
    ['tokenize', `insert into vault.records (${recordColumns}, erased_at) values (${record}, now())`],
    ...['ct', 'wdek', 'field', 'subject', 'tenant', '*', 'kek_version'].map(
      (column) => ['tokenize', `select ${column} from vault.records limit 1`] as const,
    ),
    ['tokenize', `insert into vault.records (${recordColumns}) values (${record}) returning ct`],
    ...queues.flatMap((queue) =>
      [
        "update vault.records set field = 'x'",
        'delete from vault.records',
        'truncate vault.records',
        'lock table vault.records in access exclusive mode',
        'select token from vault.records for update',
      ].map((sql) => [queue, sql] as const),
    ),
  ] as const)('of %s: %s', async (queue, sql) => {
    expect(await ask(queue, sql)).toBe(denied)
  })
})

describe.each(queues)('the audit cannot be read or changed by %s, nor its witnesses be told what to say', (queue) => {
  test.each([
    'select 1 from vault.audit',
    `insert into vault.audit (${auditColumns}) values (${auditValues}) returning worker`,
    "update vault.audit set outcome = 'ok'",
    'delete from vault.audit',
    'truncate vault.audit',
    `insert into vault.audit (${auditColumns}, at) values (${auditValues}, now() - interval '1 year')`,
    `insert into vault.audit (${auditColumns}, db_user) values (${auditValues}, 'somebody')`,
    `insert into vault.audit_default (${auditColumns}) values (${auditValues})`,
    'delete from vault.audit_default',
  ])('%s', async (sql) => {
    expect(await ask(queue, sql)).toBe(denied)
  })

  test('not even in the partitions of its months', async () => {
    const month = `audit_${new Date().toISOString().slice(0, 7).replace('-', '_')}`
    expect(await ask(queue, `select 1 from vault.${month}`)).toBe(denied)
    expect(await ask(queue, `insert into vault.${month} (${auditColumns}) values (${auditValues})`)).toBe(denied)
    expect(await ask(queue, `delete from vault.${month}`)).toBe(denied)
  })
})

describe.each(queues)('%s changes nothing about the database itself', (queue) => {
  test.each([
    'create table vault.mine (x int)',
    'create schema mine',
    "create function vault.mine() returns int language sql as 'select 1'",
    'select vault.create_audit_partitions(1)',
    'select 1 from vault.migrations',
    'create role mine',
    `set role pii_vault_${queue === 'detok' ? 'tokenize' : 'detok'}`,
    'grant select on vault.audit to public',
    "copy (select 1) to program 'true'",
  ])('%s', async (sql) => {
    expect([denied, '0LP01']).toContain(await ask(queue, sql)) // 0LP01: a grant of what one does not have
  })

  test.each(['alter table vault.records add column x int', 'drop table vault.audit', 'drop schema vault cascade'])(
    '%s',
    async (sql) => {
      expect(await ask(queue, sql)).toBe(denied)
    },
  )
})
