import { limits } from '../../shared/contract/grammar.ts'
import { tokenToBytes } from '../../shared/crypto/token.ts'
import { integers, texts, uuids } from '../../shared/db/arrays.ts'
import type { Queryable } from '../../shared/db/database.ts'
import * as statements from '../../shared/db/statements.ts'
import type { ItemErrorCode } from '../../shared/errors/catalogue.ts'
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

/** What was found of an item. Its ciphertext was read only where it can fit the reply; its size is known in any case. */
interface Found {
  readonly entry: Entry<FoundItem>
  readonly bytes: number
}

/** Several batches share a statement: at 400 rows a lookup costs Postgres half of what it costs at 20. */
const rowsPerStatement = 400
const statementsInFlight = 2

/** Stage **lookup**: the record of each token, within the actor's tenant, and within what one reply may hold. */
export function createLookup({ postgres }: Dependencies): Stage<AskedItem, FoundItem> {
  const coalescer = new Coalescer<AskedItem, Found>({
    batchItems: rowsPerStatement,
    batchesInFlight: statementsInFlight,
    run: (items) =>
      bisect(
        items,
        (some) => postgres.use((database) => select(database, some)),
        (item) => ({ entry: fail(item, 'unavailable'), bytes: 0 }),
      ),
  })

  return async (items) => {
    const found = await coalescer.add(items).catch((error: unknown) => {
      for (const { budget, turn } of items) void budget.take(turn, 0) // let the items behind these have their turn
      throw error
    })
    const fits = await Promise.all(found.map(({ bytes }, i) => takeTurn(items[i] as AskedItem, bytes)))
    return found.map(({ entry }, i) => ('live' in entry && !fits[i] ? fail(entry.live, 'too_large') : entry))
  }
}

async function select(on: Queryable, items: readonly AskedItem[]): Promise<Found[]> {
  const requests = [...new Set(items.map(({ request }) => request))]
  const ordinals = new Map(requests.map((request, i) => [request, i]))
  const rows = await on.query(statements.lookup, [
    texts(items.map(({ request }) => request.tenant)),
    uuids(items.map(({ token }) => tokenToBytes(token))),
    integers(items.map(({ request }) => ordinals.get(request))),
    integers(items.map(({ turn }) => turn)),
    limits.bodyBytes,
  ])
  const byPosition = new Map(rows.map((row) => [row.position, row]))
  return items.map((item, index) => {
    const row = byPosition.get(index + 1)
    if (row === undefined) return { entry: fail(item, 'not_found'), bytes: 0 }
    const { field, subject, ct, wdek, bytes, kek_version: kekVersion } = row
    const failed = (code: ItemErrorCode) => fail({ ...item, field, subject }, code)
    if (wdek === null) return { entry: failed('erased'), bytes: 0 }
    if (kekVersion === null) return { entry: failed('corrupt'), bytes: 0 }
    if (ct === null) return { entry: failed('too_large'), bytes }
    return { entry: live({ ...item, field, subject, kekVersion, ciphertext: ct, wrappedDek: wdek }), bytes }
  })
}

const takeTurn = ({ budget, turn }: AskedItem, bytes: number): Promise<boolean> => budget.take(turn, bytes)
