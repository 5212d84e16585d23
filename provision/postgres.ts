import { fileURLToPath } from 'node:url'
import { runner } from 'node-pg-migrate'
import { Client } from 'pg'
import { hostOf } from '../shared/config/addresses.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { authoritySettings, certificateProblem } from '../shared/errors/certificates.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { databaseRole, ensureDatabaseRole, setPassword, wasGivenPassword } from './database-roles.ts'
import type { Report } from './transit.ts'

const migrations = fileURLToPath(new URL('../shared/db/migrations', import.meta.url))

/** The audit's months that are made ahead. Run `setup` again before they are over; rows of a later month are kept too. */
const auditMonthsAhead = 12

/** Stands for `pii-vault setup` among the advisory locks of a database; any number that nobody else uses. */
const setUpLock = 7_099_118

/**
 * Waits until no other set-up of this database runs. The answer ends the turn. Roles, schemas and credential files have no
 * `if not exists` that holds for two at once.
 */
export async function takeTurn(databaseUrl: string): Promise<() => Promise<void>> {
  const client = newClient(databaseUrl)
  const end = () => client.end().catch(() => undefined)
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [setUpLock])
    return end
  } catch (error) {
    await end()
    throw databaseError(databaseUrl, error)
  }
}

/** Roles, schema, migrations and the audit's partitions. Idempotent. */
export async function provisionPostgres(databaseUrl: string, report: Report): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    for (const queue of queues) await ensureDatabaseRole(client, databaseRole(queue), report)
    await client.query('create schema if not exists vault')
    const done = await runner({
      dbClient: client,
      dir: migrations,
      direction: 'up',
      migrationsTable: 'migrations',
      migrationsSchema: 'vault',
      advisoryLockMode: 'wait',
      log: () => undefined,
    })
    for (const { name } of done) report(`migrated the database: ${name}`)
    const { rows } = await client.query('select vault.create_audit_partitions($1)', [auditMonthsAhead])
    if (rows.length > 0) report(`made ${rows.length} monthly partitions of the audit`)
  })
}

/**
 * Gives a pool's role a password, and answers the DATABASE_URL that its workers use. A role that was given one before gets
 * another only with `renew`: its workers would be shut out from one connection to the next.
 */
export async function issueDatabaseUrl(
  databaseUrl: string,
  queue: QueueName,
  password: string,
  renew: boolean,
): Promise<string> {
  const role = databaseRole(queue)
  await withClient(databaseUrl, async (client) => {
    if (!renew && (await wasGivenPassword(client, role))) {
      throw new UserError(
        `The role ${role} was given a password before, and workers may use it. Give the directory that has ${queue}.env, or --renew for a new password: then workers on the old one are shut out, and have to be started again on the new file.`,
      )
    }
    await setPassword(client, role, password)
  })
  const url = new URL(databaseUrl)
  url.username = databaseRole(queue)
  url.password = password
  return url.href
}

async function withClient(databaseUrl: string, work: (client: Client) => Promise<void>): Promise<void> {
  const client = newClient(databaseUrl)
  try {
    await client.connect()
    await work(client)
  } catch (error) {
    throw error instanceof UserError ? error : databaseError(databaseUrl, error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

function newClient(databaseUrl: string): Client {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 5_000,
    application_name: 'pii-vault setup',
  })
  // The server's end of the connection may go at any time; the query under way reports it.
  client.on('error', () => undefined)
  return client
}

function databaseError(databaseUrl: string, error: unknown): UserError {
  const problem = certificateProblem(errorCode(error), authoritySettings.postgres)
  if (problem !== undefined) return new UserError(`Postgres at ${hostOf(databaseUrl)} (DATABASE_URL) ${problem}`)
  return new UserError(
    `Postgres at ${hostOf(databaseUrl)} (DATABASE_URL) refused the set-up: ${errorCode(error) ?? 'no code'}. Is it running, and may this user create roles and schemas?`,
  )
}
