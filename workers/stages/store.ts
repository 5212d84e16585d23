import { tokenFromUuid, tokenToBytes } from '../../shared/crypto/token.ts'
import { uuidToBytes } from '../../shared/crypto/uuid.ts'
import { byteas, smallints, texts, uuids } from '../../shared/db/arrays.ts'
import type { Queryable } from '../../shared/db/database.ts'
import * as statements from '../../shared/db/statements.ts'
import type { ItemErrorCode } from '../../shared/errors/catalogue.ts'
import type { AuditedItem, Entry, Failed, OpenRequest } from '../batch.ts'
import { fail, itemOf, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import { Coalescer } from '../coalescer.ts'
import { hasPassed } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Audit } from './audit.ts'
import { insertAudit, rowOf, unrecordable } from './audit.ts'
import type { EncryptedItem } from './encrypt.ts'

const rowsPerTransaction = 200
const transactionsInFlight = 2

/** `conflict` is found item by item, and refuses the request as a whole. */
type Code = ItemErrorCode | 'conflict'
type StoredItem = AuditedItem & { readonly token: string }
export type StoredEntry = Entry<StoredItem, Code>

/**
 * Stage **store**, with **audit**: the records of several batches and an audit row for every item, failed ones included,
 * in one transaction. When it resolves both are committed.
 *
 * A request may run twice. Its items are unique by (actor, request id, item), so a second run gets the tokens of the
 * first; under other contents of the same id nothing is stored, and each item is a `conflict`.
 */
export function createStore({ postgres, workerName }: Dependencies, audit: Audit) {
  const coalescer = new Coalescer<Entry<EncryptedItem>, StoredEntry | 'refused'>({
    batchItems: rowsPerTransaction,
    batchesInFlight: transactionsInFlight,
    run: (batch) =>
      bisect<Entry<EncryptedItem>, StoredEntry | 'refused'>(
        batch,
        (some) => postgres.use((database) => database.transaction((on) => commit(on, some))),
        () => 'refused',
      ),
  })

  async function commit(on: Queryable, batch: readonly Entry<EncryptedItem>[]): Promise<StoredEntry[]> {
    const conflicting = await findConflicts(on, batch)
    const judged = batch.map((entry) => judge(entry, conflicting))
    const stored = await insert(
      on,
      judged.flatMap((entry) => ('live' in entry ? [entry.live] : [])),
    )
    const done = judged.map((entry) => ('live' in entry ? (stored.get(entry.live) ?? conflict(entry.live)) : entry))
    await insertAudit(on, workerName, 'tokenize', done.map(rowOf))
    return done
  }

  return async (batch: readonly Entry<EncryptedItem>[]): Promise<StoredEntry[]> => {
    const results = await coalescer.add(batch)
    const refused = batch.filter((_, i) => results[i] === 'refused').map(unrecordable)
    // What could not be stored is still told to the audit.
    const recorded = (await audit.items<StoredItem>(refused)).values()
    return results.map((result) => (result === 'refused' ? (recorded.next().value as Failed) : result))
  }
}

function judge(entry: Entry<EncryptedItem>, conflicting: Set<string>): Entry<EncryptedItem, Code> {
  const item = itemOf(entry)
  if (conflicting.has(keyOf(item.request))) return conflict(item)
  return 'live' in entry && hasPassed(item.request.exp) ? fail({ ...item, token: undefined }, 'expired') : entry
}

const conflict = (item: AuditedItem) => fail({ ...item, token: undefined }, 'conflict')
const keyOf = ({ actor, id }: OpenRequest): string => `${actor} ${id}`
const hashOf = ({ digest }: OpenRequest): Buffer => Buffer.from(digest.slice(0, 32), 'hex')

async function findConflicts(on: Queryable, batch: readonly Entry<EncryptedItem>[]): Promise<Set<string>> {
  const requests = [...new Set(batch.map((entry) => itemOf(entry).request))]
  const rows = await on.query(statements.conflicts, [
    texts(requests.map(({ actor }) => actor)),
    uuids(requests.map(({ id }) => uuidToBytes(id))),
    byteas(requests.map(hashOf)),
  ])
  return new Set(rows.map(({ position }) => keyOf(requests[position - 1] as OpenRequest)))
}

/**
 * Stores what is new, and answers each item as it is stored, perhaps under the token of an earlier run. An item that is not
 * among the answers was stored by a request of other contents: its token must not leave, as its value is nowhere.
 */
async function insert(on: Queryable, items: EncryptedItem[]): Promise<Map<EncryptedItem, { live: StoredItem }>> {
  if (items.length === 0) return new Map()
  const actors = texts(items.map(({ request }) => request.actor))
  const ids = uuids(items.map(({ request }) => uuidToBytes(request.id)))
  const indexes = smallints(items.map(({ index }) => index))
  const hashes = byteas(items.map(({ request }) => hashOf(request)))
  const inserted = await on.query(statements.store, [
    uuids(items.map(({ token }) => tokenToBytes(token))),
    texts(items.map(({ tenant }) => tenant)),
    texts(items.map(({ field }) => field)),
    texts(items.map(({ subject }) => subject)),
    byteas(items.map(({ ciphertext }) => ciphertext)),
    texts(items.map(({ wrappedDek }) => wrappedDek)),
    actors,
    ids,
    indexes,
    hashes,
  ])
  // As a rule all are new.
  if (inserted.length === items.length) return new Map(items.map((item) => [item, live(item)]))
  const rows = await on.query(statements.stored, [actors, ids, indexes, hashes])
  return new Map(
    rows.map(({ position, token: uuid }) => {
      const item = items[position - 1] as EncryptedItem
      const token = tokenFromUuid(uuid)
      // Of an earlier run's record, the KEK version is not known here.
      return [item, live(token === item.token ? item : { ...item, token, kekVersion: undefined })]
    }),
  )
}
