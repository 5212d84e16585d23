import type { Job } from 'bullmq'
import * as grammar from '../shared/contract/grammar.ts'
import type { TokenizeBody } from '../shared/contract/request.ts'
import { tokenizeBody } from '../shared/contract/request.ts'
import { Secret } from '../shared/crypto/secret.ts'
import type { ItemErrorCode } from '../shared/errors/catalogue.ts'
import type { Entry, OpenRequest } from './batch.ts'
import { fail, live, through } from './batch.ts'
import { batchesInFlight, itemsPerBatch } from './batching.ts'
import { Coalescer } from './coalescer.ts'
import type { Dependencies } from './dependencies.ts'
import type { Pipeline } from './pipeline.ts'
import { createRefuse } from './refuse.ts'
import { createAudit } from './stages/audit.ts'
import type { Labelled } from './stages/authorize.ts'
import { createAuthorize } from './stages/authorize.ts'
import type { EncryptedItem } from './stages/encrypt.ts'
import { encrypt } from './stages/encrypt.ts'
import { mint } from './stages/mint.ts'
import { createOpen, unopened } from './stages/open.ts'
import type { ReplyItems } from './stages/reply.ts'
import { createReply } from './stages/reply.ts'
import { createStore } from './stages/store.ts'
import { createWrap } from './stages/wrap.ts'

type GivenItem = Labelled & { readonly value: Secret }

/**
 * The tokenize pipeline: from a job on the queue to the reply in the requester's.
 *
 *   open ▸ gather 20 ▸ authorize ▸ mint ▸ wrap ▸ encrypt ▸ store and audit ▸ reply
 *
 * A job is done when `process` resolves: answered, or refused and kept as a dead letter.
 */
export function createTokenize(dependencies: Dependencies): Pipeline {
  const open = createOpen('tokenize', tokenizeBody, dependencies)
  const authorize = createAuthorize(dependencies)
  const wrap = createWrap(dependencies)
  const audit = createAudit('tokenize', dependencies)
  const store = createStore(dependencies, audit)
  const reply = createReply('tokenize', dependencies)
  const refuse = createRefuse('tokenize', audit, reply, dependencies)
  const gather = new Coalescer({ batchItems: itemsPerBatch, batchesInFlight, run: processBatch })

  async function processBatch(batch: Entry<GivenItem>[]): Promise<Entry<EncryptedItem>[]> {
    const allowed = await through(batch, authorize)
    const minted = await through(allowed, mint)
    const wrapped = await through(minted, wrap)
    const encrypted = await through(wrapped, encrypt)
    return store(encrypted)
  }

  async function process(job: Job<unknown>): Promise<void> {
    const opened = await open(job)
    if (opened.kind !== 'open') return refuse(opened)
    const entries = await gather.add(givenItems(opened.request, opened.body))
    const items = replyItems(entries)
    await (items === 'conflict' ? reply.refusal(opened.request, 'conflict') : reply.items(opened.request, items))
  }

  return { process, giveUp: (job) => refuse(unopened(job, 'unavailable')), batches: () => gather.started }
}

function givenItems(request: OpenRequest, { items }: TokenizeBody): Entry<GivenItem>[] {
  return items.map(({ field, subject, value }, index) => {
    const problem = problemOf(value)
    const label = {
      field: grammar.fieldName.safeParse(field).data,
      subject: subject === undefined ? '' : grammar.subject.safeParse(subject).data,
    }
    if (problem !== undefined || label.field === undefined || label.subject === undefined) {
      return fail({ request, index, ...label }, problem ?? 'invalid')
    }
    if (request.tenant === undefined) return fail({ request, index, ...label }, 'denied')
    return live({ request, index, field: label.field, subject: label.subject, value: new Secret(value) })
  })
}

/** A lone surrogate has no UTF-8 form: it would become U+FFFD on its way, and another value come back. */
function problemOf(value: string): ItemErrorCode | undefined {
  if (!value.isWellFormed()) return 'invalid'
  return Buffer.byteLength(value) > grammar.limits.valueBytes ? 'too_large' : undefined
}

function replyItems(entries: Entry<EncryptedItem>[]): ReplyItems | 'conflict' {
  const items: ReplyItems = []
  for (const entry of entries) {
    if ('live' in entry) items.push({ token: entry.live.token })
    else if (entry.failed === 'conflict') return 'conflict'
    else items.push({ error: entry.failed })
  }
  return items
}
