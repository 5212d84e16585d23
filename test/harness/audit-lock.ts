import { until } from './until.ts'
import type { TestVault } from './vault.ts'

/**
 * Runs `work` while nobody can write an audit row; `blocked` resolves when a worker waits for that. The lock is on the table,
 * so it is for a vault on servers of its own.
 */
export async function withAuditBlocked(
  vault: TestVault,
  work: (blocked: () => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = await vault.postgres.connect()
  try {
    await client.query('begin')
    await client.query('lock table vault.audit in share mode')
    await work(() =>
      until('an insert waits for the lock', async () => {
        const { rows } = await vault.postgres.query(
          `select from pg_locks where not granted and relation = 'vault.audit'::regclass`,
        )
        return rows.length > 0
      }),
    )
  } finally {
    await client.query('rollback')
    client.release()
  }
}
