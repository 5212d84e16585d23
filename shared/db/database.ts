import type { ClientBase, PoolClient } from 'pg'
import { Pool } from 'pg'
import { errorCode } from '../errors/error-code.ts'
import type { UnavailableReason } from '../errors/server-errors.ts'
import { ContentRefused, Unavailable } from '../errors/server-errors.ts'
import type { Logger } from '../log/log.ts'
import type { Statement } from './statements.ts'

/** Something that statements can be run on: the pool, or a transaction. */
export interface Queryable {
  /** Throws Unavailable, or ContentRefused where the server refuses what the statement holds. */
  query<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]>
}

const statementTimeoutMs = 20_000

const canWriteAudit = `
  select not pg_is_in_recovery() and not current_setting('transaction_read_only')::bool as primary,
         has_any_column_privilege('vault.audit', 'insert') as granted`

/** Postgres. Every failure leaves as Unavailable or ContentRefused, without the driver's text. */
export class Database implements Queryable {
  readonly #pool: Pool

  constructor(url: string, log: Logger, connections: number) {
    this.#pool = new Pool({
      connectionString: url,
      max: connections,
      application_name: 'pii-vault',
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      statement_timeout: statementTimeoutMs,
      // A server that fell silent: the client gives up a little after the server should have.
      query_timeout: statementTimeoutMs + 5_000,
    })
    // Without handlers, a connection that dies would end the process: an idle one, or one in the midst of a transaction.
    this.#pool.on('error', (error) => {
      if (!this.#pool.ending) log.warn({ err: error }, 'an idle database connection was lost')
    })
    this.#pool.on('connect', (client) =>
      client.on('error', (error) => log.debug({ err: error }, 'database connection')),
    )
  }

  async query<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return run(this.#pool, statement, values)
  }

  /** All of it is committed, or none. A connection that failed is thrown away: nobody knows what it is in the midst of. */
  async transaction<T>(work: (on: Queryable) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw translate(error)
    })
    let broken = true
    try {
      await command(client, 'begin')
      const result = await work({ query: (statement, values) => run(client, statement, values) })
      await command(client, 'commit')
      broken = false
      return result
    } catch (error) {
      // The server has answered, so the connection is in order once the transaction is rolled back.
      if (error instanceof ContentRefused) broken = await rollBack(client)
      throw error
    } finally {
      client.release(broken)
    }
  }

  /**
   * Resolves if this role can write its audit here. A standby is of no use, as nothing can be audited there, and neither is
   * a database that was not set up.
   */
  async probe(): Promise<void> {
    const { rows } = await command(this.#pool, canWriteAudit)
    if (rows[0]?.['primary'] !== true) throw new Unavailable('postgres', 'read-only')
    if (rows[0]?.['granted'] !== true) throw new Unavailable('postgres', 'not set up')
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }
}

async function run<Row>(
  on: Pool | PoolClient,
  { name, text, rows }: Statement<Row>,
  values: readonly unknown[],
): Promise<Row[]> {
  let answer: { rows: unknown[] }
  try {
    answer = await on.query({ name, text, values: values as unknown[] })
  } catch (error) {
    throw translate(error)
  }
  const parsed = rows.safeParse(answer.rows)
  if (!parsed.success) throw new Unavailable('postgres', 'unexpected answer')
  return parsed.data
}

async function command(on: Pool | ClientBase, text: string): Promise<{ rows: Record<string, unknown>[] }> {
  try {
    return await on.query(text)
  } catch (error) {
    throw translate(error)
  }
}

async function rollBack(client: PoolClient): Promise<boolean> {
  return client.query('rollback').then(
    () => false,
    () => true,
  )
}

/** By SQLSTATE (Postgres, Appendix A). Classes 22, data exception, and 23, integrity violation, are the content's fault. */
function translate(error: unknown): Error {
  const code = errorCode(error)
  // pg's own errors have no code: it lost the connection, or gave up on a silent server or a pool without a free one.
  if (code === undefined && error instanceof Error && /timeout/i.test(error.message)) {
    return new Unavailable('postgres', 'timeout')
  }
  const state = code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : ''
  if (/^2[23]/.test(state)) return new ContentRefused('postgres', state)
  const reason = reasons[state] ?? reasons[state.slice(0, 2)] ?? (state === '' ? 'unreachable' : 'server error')
  return new Unavailable('postgres', reason, { cause: error })
}

const reasons: Record<string, UnavailableReason | undefined> = {
  '08': 'connection lost',
  '25006': 'read-only',
  '28': 'refused our credentials',
  '53': 'out of resources',
  '55P03': 'timeout', // a lock was not to be had
  '57': 'connection lost',
  '57014': 'timeout', // statement_timeout
}
