import type { Client } from 'pg'
import type { QueueName } from '../shared/contract/grammar.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { printable } from './printable.ts'
import { scramVerifier } from './scram.ts'
import type { Report } from './transit.ts'

/** The database roles of the pools. What they may do with the tables is in the migrations. */
export const databaseRole = (queue: QueueName): string => `pii_vault_${queue}`

/** A role that is there already stays as it is; one that may do more than a pool must is refused. */
export async function ensureDatabaseRole(client: Client, role: string, report: Report): Promise<void> {
  const { rows } = await client.query<Role>(find, [role])
  if (rows[0] !== undefined) return assertPowerless(role, rows[0])
  await client.query(
    `create role ${role} login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls`,
  )
  report(`made the database role ${role}`)
}

export async function setPassword(client: Client, role: string, password: string): Promise<void> {
  await client.query(`alter role ${role} password ${client.escapeLiteral(await scramVerifier(password))}`)
  await client.query(`comment on role ${role} is '${given}'`)
}

/** Whether a role has a password is for superusers to see; its comment is for everyone. */
const given = 'was given a password by pii-vault setup'

export async function wasGivenPassword(client: Client, role: string): Promise<boolean> {
  const { rowCount } = await client.query(
    "select from pg_roles where rolname = $1 and shobj_description(oid, 'pg_authid') = $2",
    [role, given],
  )
  return rowCount !== 0
}

interface Role {
  readonly superuser: boolean
  readonly createdb: boolean
  readonly createrole: boolean
  readonly replication: boolean
  readonly bypassrls: boolean
  /** Roles that it is a member of, as SQL spells them. */
  readonly memberships: readonly string[]
}

const find = `
  select rolsuper as superuser, rolcreatedb as createdb, rolcreaterole as createrole, rolreplication as replication,
         rolbypassrls as bypassrls,
         array(select distinct quote_ident(other.rolname) from pg_auth_members
               join pg_roles other on other.oid = roleid where member = role.oid order by 1) as memberships
  from pg_roles role where rolname = $1`

function assertPowerless(role: string, { memberships, ...attributes }: Role): void {
  const held = Object.entries(attributes).flatMap(([name, has]) => (has ? [name] : []))
  const cures = [
    ...(held.length > 0 ? [`alter role ${role} ${held.map((name) => `no${name}`).join(' ')}`] : []),
    ...memberships.map((other) => `revoke ${printable(other, 64)} from ${role}`),
  ]
  if (cures.length === 0) return
  throw new UserError(
    `The database role ${role} exists, and may do more than a worker must. Take that away and run it again: ${cures.map((sql) => `\`${sql};\``).join(' ')}`,
  )
}
