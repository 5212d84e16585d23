import { Client as Postgres } from 'pg'

/** How many audit rows these workers have written. */
export async function countAuditRows(databaseUrl: string, workers: readonly string[]): Promise<number> {
  const postgres = new Postgres({ connectionString: databaseUrl })
  await postgres.connect()
  try {
    const { rows } = await postgres.query<{ count: string }>(
      'select count(*) from vault.audit where worker = any($1)',
      [workers],
    )
    return Number(rows[0]?.count)
  } finally {
    await postgres.end()
  }
}
