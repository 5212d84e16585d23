import type { Job } from 'bullmq'
import { detokBody } from '../shared/contract/request.ts'
import type { Entry } from './batch.ts'
import { assertAudited, through } from './batch.ts'
import { batchesInFlight, itemsPerBatch } from './batching.ts'
import { Coalescer } from './coalescer.ts'
import type { Dependencies } from './dependencies.ts'
import type { Pipeline } from './pipeline.ts'
import { createRefuse } from './refuse.ts'
import { askedItems } from './stages/asked-items.ts'
import { createAudit } from './stages/audit.ts'
import { createAuthorize } from './stages/authorize.ts'
import type { DecryptedItem } from './stages/decrypt.ts'
import { decryptItems } from './stages/decrypt.ts'
import type { AskedItem } from './stages/lookup.ts'
import { createLookup } from './stages/lookup.ts'
import { createOpen, unopened } from './stages/open.ts'
import type { DetokReplyItem } from './stages/reply.ts'
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
  const { timings, metrics } = dependencies
  const audit = createAudit('detok', dependencies)
  const reply = createReply('detok', dependencies)
  const open = timings.timed('open', createOpen('detok', detokBody, dependencies))
  const lookup = timings.timed('lookup', createLookup(dependencies))
  const authorize = timings.timed('authorize', createAuthorize(dependencies))
  const unwrap = timings.timed('unwrap', createUnwrap(dependencies))
  const decrypt = timings.timed('decrypt', decryptItems)
  const record = timings.timed('audit', audit.items)
  const answer = timings.timed('reply', reply.items)
  const { refuse, orRefuse } = createRefuse('detok', audit, reply, dependencies)
  const gather = new Coalescer({ batchItems: itemsPerBatch, batchesInFlight, run: processBatch })

  async function processBatch(batch: Entry<AskedItem>[]): Promise<Entry<DecryptedItem>[]> {
    const found = await through(batch, lookup)
    const allowed = await through(found, authorize)
    const unwrapped = await through(allowed, unwrap)
    const decrypted = await through(unwrapped, decrypt)
    const recorded = await record(decrypted)
    metrics.items(recorded)
    return recorded
  }

  async function process(job: Job<unknown>): Promise<void> {
    const opened = await open(job)
    if (opened.kind !== 'open') return refuse(job, opened)
    const { request, body } = opened
    await orRefuse(job, request, async () => {
      const entries = await gather.add(askedItems(request, body))
      assertAudited(entries)
      await answer(request, entries.map(replyItem))
    })
  }

  return {
    process: timings.timed('job', process),
    giveUp: (job) => refuse(job, unopened(job, 'unavailable')),
    batches: () => gather.started,
  }
}

export const replyItem = (entry: Entry<DecryptedItem>): DetokReplyItem =>
  'live' in entry ? { value: entry.live.value.reveal(), mask: entry.live.mask } : { error: entry.failed }
