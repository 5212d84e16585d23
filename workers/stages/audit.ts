import type { QueueName } from '../../shared/contract/grammar.ts'
import { tokenToBytes } from '../../shared/crypto/token.ts'
import { uuidToBytes } from '../../shared/crypto/uuid.ts'
import { integers, smallints, texts, uuids } from '../../shared/db/arrays.ts'
import type { Queryable } from '../../shared/db/database.ts'
import * as statements from '../../shared/db/statements.ts'
import type { AuditedItem, Entry, Failed, OpenRequest, SealedRequest } from '../batch.ts'
import { fail, itemOf } from '../batch.ts'
import { bisect } from '../bisect.ts'
import { Coalescer } from '../coalescer.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Claim } from './open.ts'

/** A row of the audit. Time and database user are the server's to set. */
export interface AuditRow {
  readonly requestId: string | undefined
  readonly attempt: number
  /** Undefined: the row speaks of a request that was refused as a whole. */
  readonly item: number | undefined
  readonly items: number
  readonly actor?: string | undefined
  readonly claimedActor?: string | undefined
  readonly tenant?: string | undefined
  readonly purpose?: string | undefined
  readonly reason?: string | undefined
  readonly token?: string | undefined
  readonly field?: string | undefined
  readonly subject?: string | undefined
  readonly outcome: string
  readonly mask?: string | undefined
  readonly policyRevision?: string | undefined
  readonly kekVersion?: number | undefined
}

/** Several batches share a statement, and so a commit. */
const rowsPerStatement = 400
const statementsInFlight = 2

/**
 * Stage **audit**: a row for every item, denials and failures included. When it resolves they are committed; until then
 * nothing leaves the process. No audit, no answer.
 */
export function createAudit(queue: QueueName, { postgres, workerName }: Dependencies) {
  const coalescer = new Coalescer<AuditRow, boolean>({
    batchItems: rowsPerStatement,
    batchesInFlight: statementsInFlight,
    run: (rows) =>
      bisect(
        rows,
        (some) => postgres.use((database) => insert(database, some)),
        () => false,
      ),
  })

  async function insert(on: Queryable, rows: readonly AuditRow[]): Promise<boolean[]> {
    await insertAudit(on, workerName, queue, rows)
    return rows.map(() => true)
  }

  /** Throws where the server refuses the row: then there is no answer. */
  async function record(row: AuditRow): Promise<void> {
    const [written] = await coalescer.add([row])
    if (!written) throw new Error('the audit refuses a row')
  }

  return {
    /**
     * The batch as it was recorded. A row that the server refuses is recorded once more, with no more than who, which and
     * `unavailable`; that item is not answered with a value. Where even that is refused, the entry says so, and the batch's
     * other items go on.
     */
    items: async <T extends AuditedItem>(batch: readonly Entry<T>[]): Promise<Entry<T>[]> => {
      const written = await coalescer.add(batch.map(rowOf))
      if (!written.includes(false)) return [...batch]
      const bare = batch.filter((_, i) => !written[i]).map(unrecordable)
      const bareWritten = await coalescer.add(bare.map(rowOf))
      const recorded = bare.map((entry, i): Failed => (bareWritten[i] ? entry : { ...entry, unaudited: true })).values()
      return batch.map((entry, i) => (written[i] ? entry : (recorded.next().value as Failed)))
    },
    /** One row for a request that was refused as a whole. */
    refusal: (request: SealedRequest, code: string, actorIsCertain: boolean): Promise<void> =>
      record(refusalRow(request, code, actorIsCertain)),
    /** The same where nobody is certain who asked. */
    unopened: (claim: Claim, attempt: number, items: number, code: string): Promise<void> =>
      record({ requestId: claim.id, attempt, item: undefined, items, claimedActor: claim.actor, outcome: code }),
  }
}

export type Audit = ReturnType<typeof createAudit>

/** What is left of an entry whose row the server refuses. */
export function unrecordable(entry: Entry<AuditedItem>): Failed {
  const { request, index } = itemOf(entry)
  const bare: OpenRequest = { ...request, tenant: undefined, purpose: '', reason: undefined }
  return fail({ request: bare, index }, 'failed' in entry ? entry.failed : 'unavailable')
}

export function rowOf(entry: Entry<AuditedItem, string>): AuditRow {
  const { request, index, token, field, subject, mask, policyRevision, kekVersion } = itemOf(entry)
  const { id: requestId, attempt, actor, tenant, purpose, reason } = request
  const outcome = 'failed' in entry ? entry.failed : 'ok'
  return {
    requestId,
    attempt,
    item: index,
    items: 1,
    actor,
    tenant,
    purpose,
    reason,
    token,
    field,
    subject,
    outcome,
    mask,
    policyRevision,
    kekVersion,
  }
}

function refusalRow(request: SealedRequest, outcome: string, actorIsCertain: boolean): AuditRow {
  const { id: requestId, attempt, actor, itemCount: items } = request
  return {
    requestId,
    attempt,
    item: undefined,
    items,
    ...(actorIsCertain ? { actor } : { claimedActor: actor }),
    outcome,
  }
}

export async function insertAudit(
  on: Queryable,
  workerName: string,
  queue: QueueName,
  rows: readonly AuditRow[],
): Promise<void> {
  await on.query(statements.audit, [
    workerName,
    queue,
    uuids(rows.map(({ requestId }) => (requestId === undefined ? undefined : uuidToBytes(requestId)))),
    smallints(rows.map(({ attempt }) => attempt)),
    smallints(rows.map(({ item }) => item)),
    integers(rows.map(({ items }) => items)),
    texts(rows.map(({ actor }) => actor)),
    texts(rows.map(({ claimedActor }) => claimedActor)),
    texts(rows.map(({ tenant }) => tenant)),
    texts(rows.map(({ purpose }) => purpose)),
    texts(rows.map(({ reason }) => reason)),
    uuids(rows.map(({ token }) => (token === undefined ? undefined : tokenToBytes(token)))),
    texts(rows.map(({ field }) => field)),
    texts(rows.map(({ subject }) => subject)),
    texts(rows.map(({ outcome }) => outcome)),
    texts(rows.map(({ mask }) => mask)),
    texts(rows.map(({ policyRevision }) => policyRevision)),
    integers(rows.map(({ kekVersion }) => kekVersion)),
  ])
}
