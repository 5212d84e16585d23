import { randomBytes } from 'node:crypto'
import { mkdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { writePrivate } from '../shared/files/private-file.ts'
import type { OpenBaoAdmin } from './openbao-admin.ts'
import { issueDatabaseUrl } from './postgres.ts'
import type { QueueUsers } from './queue-users.ts'
import type { Report, RoleCredentials } from './transit.ts'
import { issueCredentials, workerRole } from './transit.ts'

export const workerFile = (directory: string, queue: QueueName): string => join(directory, `${queue}.env`)

/** The servers that credentials are issued on; without the queue's, QUEUE_URL is the operator's to give. */
export interface Issuers {
  readonly bao: OpenBaoAdmin
  readonly databaseUrl: string
  readonly users: QueueUsers | undefined
}

/**
 * The credentials of each pool, as `detok.env` and `tokenize.env` with a secret id file each, for its owner alone. What is in
 * such a file stays unless it is to be renewed: new ones take the passwords from the workers that run.
 */
export async function writeWorkerCredentials(
  issuers: Issuers,
  directory: string,
  renew: boolean,
  report: Report,
): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { users } = issuers
  for (const queue of queues) {
    const file = workerFile(directory, queue)
    const kept = (await exists(file)) && !renew ? await readFile(file, 'utf8') : ''
    const added = kept === '' ? await issueOwn(issuers, directory, queue, renew, report) : {}
    const queueUrl = parseEnv(kept)['QUEUE_URL']
    if (queueUrl !== undefined) await users?.restorePool(queue, queueUrl, report)
    else if (users !== undefined) added['QUEUE_URL'] = await users.issuePoolUrl(queue, report)
    const lines = Object.entries(added).map(([name, value]) => `${name}=${value}\n`)
    if (lines.length === 0) continue
    await writePrivate(file, kept + lines.join(''))
    report(`wrote ${file}`)
  }
}

/** On Postgres and OpenBao. */
async function issueOwn(
  { bao, databaseUrl }: Issuers,
  directory: string,
  queue: QueueName,
  renew: boolean,
  report: Report,
): Promise<Record<string, string>> {
  const url = await issueDatabaseUrl(databaseUrl, queue, randomBytes(24).toString('base64url'), renew)
  const { roleId, secretId } = await issueCredentials(bao, workerRole(queue))
  const secretIdFile = resolve(directory, `${queue}.secret-id`)
  await writePrivate(secretIdFile, `${secretId}\n`)
  report(`wrote ${secretIdFile}`)
  return { DATABASE_URL: url, TRANSIT_ROLE_ID: roleId, TRANSIT_SECRET_ID_FILE: secretIdFile }
}

/** What `actor add --out FILE` writes. */
export async function writeActorCredentials(
  file: string,
  actor: string,
  { roleId, secretId }: RoleCredentials,
  queueUrl: string | undefined,
): Promise<void> {
  const content = { actor, role_id: roleId, secret_id: secretId, queue_url: queueUrl }
  await writePrivate(file, `${JSON.stringify(content, null, 2)}\n`)
}

export async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
