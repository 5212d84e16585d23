import type { Secret } from '../shared/crypto/secret.ts'
import type { OpenBaoAddress } from '../shared/transit/http.ts'
import { writeWorkerCredentials } from './credential-files.ts'
import { OpenBaoAdmin } from './openbao-admin.ts'
import { provisionPostgres, takeTurn } from './postgres.ts'
import type { QueueAdminAddress } from './queue-users.ts'
import { QueueUsers } from './queue-users.ts'
import type { Report } from './transit.ts'
import { provisionTransit } from './transit.ts'

export { addActor, listActors, removeActor, revokeActor } from './actors.ts'
export { exists, workerFile, writeActorCredentials } from './credential-files.ts'
export { OpenBaoAdmin } from './openbao-admin.ts'
export { QueueUsers } from './queue-users.ts'
export type { Report } from './transit.ts'

export interface ProvisionOptions {
  readonly databaseUrl: string
  readonly transit: OpenBaoAddress
  readonly token: Secret
  /** Left alone if undefined. */
  readonly queue: QueueAdminAddress | undefined
  /** Where the pools' credentials are written; without it none are issued. */
  readonly credentials?: string | undefined
  /** Issues new ones even where there are some: workers that run on the old ones are shut out. */
  readonly renew?: boolean | undefined
}

/** Prepares any Postgres, OpenBao and Valkey for the workers. Idempotent, and two at once wait for each other. */
export async function provision(options: ProvisionOptions, report: Report): Promise<void> {
  const { databaseUrl, transit, token, queue, credentials, renew = false } = options
  const endTurn = await takeTurn(databaseUrl)
  const bao = new OpenBaoAdmin(transit, token)
  const users = queue && new QueueUsers(queue)
  try {
    await provisionTransit(bao, report)
    await provisionPostgres(databaseUrl, report)
    await users?.ensurePools(report)
    if (credentials !== undefined) await writeWorkerCredentials({ bao, databaseUrl, users }, credentials, renew, report)
  } finally {
    users?.close()
    await bao.close()
    await endTurn()
  }
}
