import { tokenToUuid } from '../../shared/crypto/token.ts'
import type { Queryable } from '../../shared/db/database.ts'
import * as statements from '../../shared/db/statements.ts'
import type { AuditedItem, Entry, Stage } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import { Coalescer } from '../coalescer.ts'
import type { Dependencies } from '../dependencies.ts'
import type { ReplyBudget } from '../reply-budget.ts'

export interface AskedItem extends AuditedItem {
  readonly token: string
  readonly budget: ReplyBudget
  /** The item's turn at the budget: its place among those of its request that are looked up. */
  readonly turn: number
}
export interface FoundItem extends AskedItem {
  readonly field: string
  readonly subject: string
  readonly kekVersion: number
  readonly ciphertext: Buffer
  readonly wrappedDek: string
}

/** Several batches share a statement: at 400 rows a lookup costs Postgres half of what it costs at 20. */
const rowsPerStatement = 400
const statementsInFlight = 2

/** Stage **lookup**: the record of each token, within the actor's tenant, and within what one reply may hold. */
export function createLookup({ postgres }: Dependencies): Stage<AskedItem, FoundItem> {
  const coalescer = new Coalescer<AskedItem, Entry<FoundItem>>({
    batchItems: rowsPerStatement,
    batchesInFlight: statementsInFlight,
    run: (items) =>
      bisect(
        items,
        (some) => postgres.use((database) => select(database, some)),
        (item) => fail(item, 'unavailable'),
      ),
  })

  async function select(on: Queryable, items: readonly AskedItem[]): Promise<Entry<FoundItem>[]> {
    const rows = await on.query(statements.lookup, [
      items.map(({ request }) => request.tenant ?? null),
      items.map(({ token }) => tokenToUuid(token)),
    ])
    const byPosition = new Map(rows.map((row) => [row.position, row]))
    return items.map((item, index) => {
      const row = byPosition.get(index + 1)
      if (row === undefined || item.request.tenant === undefined) return fail(item, 'not_found')
      const { field, subject, ct, wdek, kek_version: kekVersion } = row
      if (ct === null || wdek === null) return fail({ ...item, field, subject }, 'erased')
      if (kekVersion === null) return fail({ ...item, field, subject }, 'corrupt')
      return live({ ...item, field, subject, kekVersion, ciphertext: ct, wrappedDek: wdek })
    })
  }

  return async (items) => {
    const bytes = (entry: Entry<FoundItem>) => ('live' in entry ? entry.live.ciphertext.length : 0)
    const entries = await coalescer.add(items).catch((error: unknown) => {
      for (const { budget, turn } of items) void budget.take(turn, 0) // let the items behind these have their turn
      throw error
    })
    const fits = await Promise.all(entries.map((entry, i) => takeTurn(items[i] as AskedItem, bytes(entry))))
    return entries.map((entry, i) => ('live' in entry && !fits[i] ? fail(entry.live, 'too_large') : entry))
  }
}

const takeTurn = ({ budget, turn }: AskedItem, bytes: number): Promise<boolean> => budget.take(turn, bytes)
