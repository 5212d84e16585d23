import { z } from 'zod'
import { tokenToBytes } from '../../shared/crypto/token.ts'
import { texts, uuids } from '../../shared/db/arrays.ts'
import type { Queryable } from '../../shared/db/database.ts'
import type { Statement } from '../../shared/db/statements.ts'
import type { Entry } from '../../workers/batch.ts'
import { fail, live } from '../../workers/batch.ts'
import { insertAudit, rowOf } from '../../workers/stages/audit.ts'
import type { DecryptedItem } from '../../workers/stages/decrypt.ts'
import type { AskedItem, FoundItem } from '../../workers/stages/lookup.ts'
import type { Records } from './handler.ts'

const record = z.object({
  field: z.string(),
  subject: z.string(),
  ct: z.instanceof(Buffer<ArrayBufferLike>),
  wdek: z.string(),
  kek_version: z.int(),
})
type StoredRecord = z.infer<typeof record>

const findOne: Statement<StoredRecord> = {
  name: 'compare_find_one',
  text: 'select field, subject, ct, wdek, kek_version from vault.records where tenant = $1 and token = $2',
  rows: z.array(record),
}

const findMany: Statement<StoredRecord & { position: number }> = {
  name: 'compare_find_many',
  text: `select position::int, field, subject, ct, wdek, kek_version
         from unnest($1::text[], $2::uuid[]) with ordinality as q (tenant, token, position)
         join vault.records using (tenant, token)`,
  rows: z.array(record.extend({ position: z.int() })),
}

const auditOne: Statement<object> = {
  name: 'compare_audit_one',
  text: `insert into vault.audit (worker, action, request_id, attempt, item, items, actor, tenant, purpose, token, field, subject,
                                  outcome, mask, policy_revision, kek_version)
         values ($1, 'detok', $2, $3, $4, 1, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
  rows: z.array(z.object({})),
}

/** A statement for each item, as one writes it who has one item at a time. */
export function oneByOne(on: Queryable, workerName: string): Records {
  async function find(item: AskedItem): Promise<Entry<FoundItem>> {
    const [row] = await on.query(findOne, [item.request.tenant, tokenToBytes(item.token)])
    return foundOf(item, row)
  }
  async function insert(entry: Entry<DecryptedItem>): Promise<void> {
    const row = rowOf(entry)
    await on.query(auditOne, [
      workerName,
      row.requestId,
      row.attempt,
      row.item,
      row.actor,
      row.tenant,
      row.purpose,
      row.token && tokenToBytes(row.token),
      row.field,
      row.subject,
      row.outcome,
      row.mask,
      row.policyRevision,
      row.kekVersion,
    ])
  }
  return {
    find: (items) => Promise.all(items.map(find)),
    record: async (entries) => void (await Promise.all(entries.map(insert))),
  }
}

/** A statement for all items that were handed in together. */
export function together(on: Queryable, workerName: string): Records {
  return {
    find: async (items) => {
      const tenants = texts(items.map(({ request }) => request.tenant))
      const rows = await on.query(findMany, [tenants, uuids(items.map(({ token }) => tokenToBytes(token)))])
      const byPosition = new Map(rows.map((row) => [row.position, row]))
      return items.map((item, index) => foundOf(item, byPosition.get(index + 1)))
    },
    record: (entries) => insertAudit(on, workerName, 'detok', entries.map(rowOf)),
  }
}

function foundOf(item: AskedItem, row: StoredRecord | undefined): Entry<FoundItem> {
  if (row === undefined) return fail(item, 'not_found')
  const { field, subject, ct, wdek, kek_version: kekVersion } = row
  return live({ ...item, field, subject, kekVersion, ciphertext: ct, wrappedDek: wdek })
}
