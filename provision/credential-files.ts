import { randomBytes } from 'node:crypto'
import { mkdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { writePrivate } from '../shared/files/private-file.ts'
import type { OpenBaoAdmin } from './openbao-admin.ts'
import { issueDatabaseUrl } from './postgres.ts'
import type { Report, RoleCredentials } from './transit.ts'
import { issueCredentials, workerRole } from './transit.ts'

export const workerFile = (directory: string, queue: QueueName): string => join(directory, `${queue}.env`)

/**
 * The credentials of each pool, as `detok.env` and `tokenize.env` with a secret id file each, for its owner alone. Files that
 * are there stay unless they are to be renewed: new ones take the database password from the workers that run.
 */
export async function writeWorkerCredentials(
  bao: OpenBaoAdmin,
  databaseUrl: string,
  directory: string,
  renew: boolean,
  report: Report,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  for (const queue of queues) {
    const file = workerFile(directory, queue)
    if ((await exists(file)) && !renew) continue
    const url = await issueDatabaseUrl(databaseUrl, queue, randomBytes(24).toString('base64url'), renew)
    const { roleId, secretId } = await issueCredentials(bao, workerRole(queue))
    const secretIdFile = resolve(directory, `${queue}.secret-id`)
    await writePrivate(secretIdFile, `${secretId}\n`)
    const settings = { DATABASE_URL: url, TRANSIT_ROLE_ID: roleId, TRANSIT_SECRET_ID_FILE: secretIdFile }
    await writePrivate(
      file,
      Object.entries(settings)
        .map(([name, value]) => `${name}=${value}\n`)
        .join(''),
    )
    report(`wrote ${file} and ${secretIdFile}`)
  }
}

/** What `actor add --out FILE` writes. */
export async function writeActorCredentials(
  file: string,
  actor: string,
  { roleId, secretId }: RoleCredentials,
): Promise<void> {
  await writePrivate(file, `${JSON.stringify({ actor, role_id: roleId, secret_id: secretId }, null, 2)}\n`)
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
