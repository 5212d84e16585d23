import { randomUUID } from 'node:crypto'
import { actorName, queues } from '../shared/contract/grammar.ts'
import { sessionKeyName } from '../shared/contract/names.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import type { OpenBaoAdmin } from './openbao-admin.ts'
import { assertNoneLeft, revokeTokens } from './tokens.ts'
import type { Report, RoleCredentials } from './transit.ts'
import { allow, ensureKey, ensureRole, issueCredentials, readKey } from './transit.ts'

const rolePrefix = 'pii-actor-'
const roleOf = (actor: string): string => rolePrefix + actor

export interface Actor {
  readonly name: string
  /** Session keys of this version and newer are accepted, for each queue. */
  readonly keys: readonly { readonly queue: string; readonly version: number; readonly accepted: number }[]
}

/** A producer's identity: its two session keys, and a policy and AppRole that reach those and nothing else. */
export async function addActor(bao: OpenBaoAdmin, actor: string, report: Report): Promise<RoleCredentials> {
  assertName(actor)
  for (const queue of queues) {
    const key = sessionKeyName(queue, actor)
    if (await ensureKey(bao, key)) report(`made the Transit key ${key}`)
  }
  const paths = queues.flatMap((queue) => {
    const key = sessionKeyName(queue, actor)
    return [`transit/datakey/plaintext/${key}`, `transit/decrypt/${key}`]
  })
  await ensureRole(bao, roleOf(actor), allow(...paths), report)
  return issueCredentials(bao, roleOf(actor))
}

export async function listActors(bao: OpenBaoAdmin): Promise<Actor[]> {
  const roles = await bao.list('auth/approle/role')
  const names = roles.filter((role) => role.startsWith(rolePrefix)).map((role) => role.slice(rolePrefix.length))
  return Promise.all(names.map(async (name) => ({ name, keys: await keysOf(bao, name) })))
}

/**
 * Ends what is in flight: secret ids destroyed, tokens revoked, and session keys rotated with the old versions shut off.
 * Workers keep an opened session for 60 seconds, so it is effective within 61. `addActor` gives new credentials.
 * Throws where a token may be left, after all that can be done was done.
 */
export async function revokeActor(bao: OpenBaoAdmin, actor: string, report: Report): Promise<void> {
  await assertExists(bao, actor)
  const destroyed = await destroySecretIds(bao, roleOf(actor))
  // Programs that still try the dead secret ids would get their role id locked for a quarter of an hour, for everyone.
  await bao.write(`auth/approle/role/${roleOf(actor)}/role-id`, { role_id: randomUUID() })
  // Before the keys are rotated: a token that lives could start a session under the new versions.
  const tokens = await revokeTokens(bao, roleOf(actor))
  for (const queue of queues) {
    const key = sessionKeyName(queue, actor)
    if ((await readKey(bao, key)) !== undefined) await bao.write(`transit/keys/${key}/rotate`, {})
    const version = (await readKey(bao, key))?.latest_version
    if (version === undefined)
      throw new UserError(`Transit key ${key} is missing: run \`pii-vault actor remove ${actor}\`.`)
    await bao.write(`transit/keys/${key}/config`, { min_decryption_version: version })
    report(`rotated ${key}: sessions under versions before ${version} are refused`)
  }
  report(`destroyed ${destroyed} secret ids and revoked ${tokens.revoked} tokens of ${actor}`)
  assertNoneLeft(tokens, actor, 'revoke')
}

/**
 * Revokes, and deletes the keys, the role and the policy. What was sealed under those keys cannot be opened again.
 * Throws where a token may be left, with the keys deleted and the role still there.
 */
export async function removeActor(bao: OpenBaoAdmin, actor: string, report: Report): Promise<void> {
  await assertExists(bao, actor)
  await destroySecretIds(bao, roleOf(actor))
  const tokens = await revokeTokens(bao, roleOf(actor))
  for (const queue of queues) {
    const key = sessionKeyName(queue, actor)
    if ((await readKey(bao, key)) === undefined) continue
    await bao.write(`transit/keys/${key}/config`, { deletion_allowed: true })
    await bao.delete(`transit/keys/${key}`)
    report(`deleted the Transit key ${key}`)
  }
  // A token that is left would come to life again with an actor of the same name.
  assertNoneLeft(tokens, actor, 'remove')
  // The role last, so that a removal that broke off can be run again.
  await bao.delete(`sys/policies/acl/${roleOf(actor)}`)
  await bao.delete(`auth/approle/role/${roleOf(actor)}`)
  report(`deleted the policy and AppRole ${roleOf(actor)}`)
}

function assertName(actor: string): void {
  if (actorName.safeParse(actor).success) return
  throw new UserError('An actor name is 1 to 64 of a to z, 0 to 9 and -.', exitCodes.usage)
}

async function assertExists(bao: OpenBaoAdmin, actor: string): Promise<void> {
  assertName(actor)
  if ((await bao.read(`auth/approle/role/${roleOf(actor)}`)) !== undefined) return
  throw new UserError(`There is no actor ${actor}. \`pii-vault actor list\` shows those there are.`)
}

async function keysOf(bao: OpenBaoAdmin, actor: string): Promise<Actor['keys']> {
  const keys = await Promise.all(
    queues.map(async (queue) => ({ queue, key: await readKey(bao, sessionKeyName(queue, actor)) })),
  )
  return keys.map(({ queue, key }) => ({
    queue,
    version: key?.latest_version ?? 0,
    accepted: key?.min_decryption_version ?? 0,
  }))
}

async function destroySecretIds(bao: OpenBaoAdmin, role: string): Promise<number> {
  const accessors = await bao.list(`auth/approle/role/${role}/secret-id`)
  for (const secret_id_accessor of accessors) {
    await bao.write(`auth/approle/role/${role}/secret-id-accessor/destroy`, { secret_id_accessor })
  }
  return accessors.length
}
