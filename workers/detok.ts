import type { Job } from 'bullmq'
import * as grammar from '../shared/contract/grammar.ts'
import type { DetokBody } from '../shared/contract/request.ts'
import { detokBody } from '../shared/contract/request.ts'
import type { Entry, OpenRequest } from './batch.ts'
import { fail, live, through } from './batch.ts'
import { batchesInFlight, itemsPerBatch } from './batching.ts'
import { Coalescer } from './coalescer.ts'
import type { Dependencies } from './dependencies.ts'
import type { Pipeline } from './pipeline.ts'
import { createRefuse } from './refuse.ts'
import { ReplyBudget } from './reply-budget.ts'
import { createAudit } from './stages/audit.ts'
import { createAuthorize } from './stages/authorize.ts'
import type { DecryptedItem } from './stages/decrypt.ts'
import { decrypt } from './stages/decrypt.ts'
import type { AskedItem } from './stages/lookup.ts'
import { createLookup } from './stages/lookup.ts'
import { createOpen, unopened } from './stages/open.ts'
import type { ReplyItems } from './stages/reply.ts'
import { createReply } from './stages/reply.ts'
import { createUnwrap } from './stages/unwrap.ts'

/**
 * The detok pipeline: from a job on the queue to the reply in the requester's.
 *
 *   open ▸ gather 20 ▸ lookup ▸ authorize ▸ unwrap ▸ decrypt ▸ audit ▸ reply
 *
 * A job is done when `process` resolves: answered, or refused and kept as a dead letter.
 */
export function createDetok(dependencies: Dependencies): Pipeline {
  const open = createOpen('detok', detokBody, dependencies)
  const lookup = createLookup(dependencies)
  const authorize = createAuthorize(dependencies)
  const unwrap = createUnwrap(dependencies)
  const audit = createAudit('detok', dependencies)
  const reply = createReply('detok', dependencies)
  const refuse = createRefuse('detok', audit, reply, dependencies)
  const gather = new Coalescer({ batchItems: itemsPerBatch, batchesInFlight, run: processBatch })

  async function processBatch(batch: Entry<AskedItem>[]): Promise<Entry<DecryptedItem>[]> {
    const found = await through(batch, lookup)
    const allowed = await through(found, authorize)
    const unwrapped = await through(allowed, unwrap)
    const opened = await through(unwrapped, decrypt)
    return audit.items(opened)
  }

  async function process(job: Job<unknown>): Promise<void> {
    const opened = await open(job)
    if (opened.kind !== 'open') return refuse(opened)
    const entries = await gather.add(askedItems(opened.request, opened.body))
    await reply.items(opened.request, replyItems(entries))
  }

  return { process, giveUp: (job) => refuse(unopened(job, 'unavailable')), batches: () => gather.started }
}

/** Only a well-formed token is carried on: anything else could be a value handed in by mistake, and must not be kept. */
function askedItems(request: OpenRequest, { items }: DetokBody): Entry<AskedItem>[] {
  const budget = new ReplyBudget()
  let turn = 0
  return items.map(({ token }, index) => {
    if (!grammar.token.safeParse(token).success) return fail({ request, index }, 'invalid')
    if (request.tenant === undefined) return fail({ request, index, token }, 'denied')
    return live({ request, index, token, budget, turn: turn++ })
  })
}

function replyItems(entries: Entry<DecryptedItem>[]): ReplyItems {
  return entries.map((entry) => {
    if ('live' in entry) return { value: entry.live.value.reveal(), mask: entry.live.mask }
    return { error: entry.failed === 'conflict' ? 'unavailable' : entry.failed }
  })
}
