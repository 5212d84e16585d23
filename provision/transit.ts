import { z } from 'zod'
import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { kekName } from '../shared/contract/names.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { OpenBaoAdmin } from './openbao-admin.ts'
import { printable } from './printable.ts'

export type Report = (done: string) => void

/**
 * Tokens live an hour and are renewed for a day at most; then the worker logs in again. They do without OpenBao's `default`
 * policy: it is a template, which OpenBao parses anew for each request (a quarter of its time for an unwrap of 20).
 */
const tokenLife = { token_ttl: '1h', token_max_ttl: '24h', token_type: 'service', token_no_default_policy: true }

export const workerRole = (queue: QueueName): string => `pii-worker-${queue}`

/**
 * What each pool may do, and no more: one can neither do the other's work nor open its requests. `update` only and never
 * `create`, or a typo would silently make a new KEK.
 */
const workerPolicies: Record<QueueName, string> = {
  detok: allow(`transit/decrypt/${kekName}`, 'transit/decrypt/queue-detok-*'),
  tokenize: allow(`transit/encrypt/${kekName}`, 'transit/decrypt/queue-tokenize-*'),
}

/** A policy that allows these operations, and what a login needs for its own token. */
export function allow(...paths: string[]): string {
  const updates = [...paths, 'auth/token/renew-self', 'auth/token/revoke-self']
  return [...updates.map((path) => rule(path, 'update')), rule('auth/token/lookup-self', 'read')].join('')
}

function rule(path: string, capability: string): string {
  return `path "${path}" {\n  capabilities = ["${capability}"]\n}\n`
}

/** The mounts, the KEK, and a policy and an AppRole for each pool. What is there already stays as it is. */
export async function provisionTransit(bao: OpenBaoAdmin, report: Report): Promise<void> {
  if (!(await isMounted(bao, 'sys/mounts', 'transit'))) {
    await bao.write('sys/mounts/transit', { type: 'transit', config: tuning })
    report('mounted the Transit engine at transit/')
  }
  if (!(await isMounted(bao, 'sys/auth', 'approle'))) {
    await bao.write('sys/auth/approle', { type: 'approle' })
    report('enabled AppRole logins at auth/approle/')
  }
  if (await ensureKey(bao, kekName)) report(`made the KEK, Transit key ${kekName}`)
  for (const queue of queues) {
    await ensureRole(bao, workerRole(queue), workerPolicies[queue], report)
  }
}

const mounts = z.object({ data: z.record(z.string(), z.object({ type: z.string() })) })

async function isMounted(bao: OpenBaoAdmin, table: string, type: string): Promise<boolean> {
  const mount = (await bao.read(table, mounts))?.data[`${type}/`]
  if (mount !== undefined && mount.type !== type) {
    const other = printable(mount.type, 64)
    throw new UserError(`OpenBao has another engine (${other}) mounted at ${type}/: this project needs that path.`)
  }
  return mount !== undefined
}

/**
 * An item's `reference` is its place in the batch. OpenBao's audit hashes it unless told: a tenth of its time, for nothing.
 * Only for a mount of our own making: others who use one may keep something else there.
 */
const tuning = { audit_non_hmac_request_keys: ['reference'], audit_non_hmac_response_keys: ['reference'] }

const keyState = z.object({
  data: z.object({
    type: z.string(),
    exportable: z.boolean(),
    allow_plaintext_backup: z.boolean(),
    derived: z.boolean(),
    latest_version: z.int(),
    min_decryption_version: z.int(),
  }),
})

export async function readKey(bao: OpenBaoAdmin, name: string) {
  return (await bao.read(`transit/keys/${name}`, keyState))?.data
}

/** True if it was made now. A key of another kind, or one that can be taken out of OpenBao, is refused. */
export async function ensureKey(bao: OpenBaoAdmin, name: string): Promise<boolean> {
  const made = (await readKey(bao, name)) === undefined
  if (made) await bao.write(`transit/keys/${name}`, { type: 'aes256-gcm96' })
  const key = await readKey(bao, name)
  if (key === undefined) throw new UserError(`Transit key ${name} was made and is not there.`)
  if (key.type !== 'aes256-gcm96' || key.derived) {
    throw new UserError(`Transit key ${name} exists, but is not a plain aes256-gcm96 key. Rename or remove it first.`)
  }
  if (key.exportable || key.allow_plaintext_backup) {
    throw new UserError(
      `Transit key ${name} exists, but can be exported from OpenBao. Such a key must not protect PII.`,
    )
  }
  return made
}

const policyAnswer = z.object({ data: z.object({ policy: z.string() }) })

export async function ensureRole(bao: OpenBaoAdmin, role: string, policy: string, report: Report): Promise<void> {
  const existed = (await bao.read(`auth/approle/role/${role}`)) !== undefined
  const before = (await bao.read(`sys/policies/acl/${role}`, policyAnswer))?.data.policy
  if (before !== policy) await bao.write(`sys/policies/acl/${role}`, { policy })
  await bao.write(`auth/approle/role/${role}`, {
    ...tokenLife,
    token_policies: [role],
    secret_id_ttl: 0,
    secret_id_num_uses: 0,
  })
  if (!existed) report(`made the policy and AppRole ${role}`)
  else if (before !== policy) report(`brought the policy ${role} up to date`)
}

const roleIdAnswer = z.object({ data: z.object({ role_id: z.string().min(1) }) })
const secretIdAnswer = z.object({ data: z.object({ secret_id: z.string().min(1) }) })

export interface RoleCredentials {
  readonly roleId: string
  readonly secretId: string
}

/** A new secret id for a role. Earlier ones stay valid until they are destroyed. */
export async function issueCredentials(bao: OpenBaoAdmin, role: string): Promise<RoleCredentials> {
  const path = `auth/approle/role/${role}`
  const roleId = (await bao.read(`${path}/role-id`, roleIdAnswer))?.data.role_id
  if (roleId === undefined) throw new UserError(`The AppRole ${role} was made and is not there.`)
  const { data } = await bao.write(`${path}/secret-id`, {}, secretIdAnswer)
  return { roleId, secretId: data.secret_id }
}
