import type { Job } from 'bullmq'
import { tokenizeBody } from '../shared/contract/request.ts'
import type { Entry } from './batch.ts'
import { assertAudited, through } from './batch.ts'
import { batchesInFlight, itemsPerBatch } from './batching.ts'
import { Coalescer } from './coalescer.ts'
import type { Dependencies } from './dependencies.ts'
import type { Pipeline } from './pipeline.ts'
import { createRefuse } from './refuse.ts'
import { createAudit } from './stages/audit.ts'
import type { Allowed } from './stages/authorize.ts'
import { createAuthorize } from './stages/authorize.ts'
import { encryptItems } from './stages/encrypt.ts'
import type { GivenItem } from './stages/given-items.ts'
import { givenItems } from './stages/given-items.ts'
import { mintItems } from './stages/mint.ts'
import { createOpen, unopened } from './stages/open.ts'
import type { TokenizeReplyItem } from './stages/reply.ts'
import { createReply } from './stages/reply.ts'
import type { StoredEntry } from './stages/store.ts'
import { createStore } from './stages/store.ts'
import { createWrap } from './stages/wrap.ts'

/**
 * The tokenize pipeline: from a job on the queue to the reply in the requester's.
 *
 *   open ▸ gather 20 ▸ authorize ▸ mint ▸ wrap ▸ encrypt ▸ store and audit ▸ reply
 *
 * A job is done when `process` resolves: answered, or refused and kept as a dead letter.
 */
export function createTokenize(dependencies: Dependencies): Pipeline {
  const { timings, metrics } = dependencies
  const audit = createAudit('tokenize', dependencies)
  const reply = createReply('tokenize', dependencies)
  const open = timings.timed('open', createOpen('tokenize', tokenizeBody, dependencies))
  const authorize = timings.timed('authorize', createAuthorize(dependencies))
  const mint = timings.timed('mint', mintItems<GivenItem & Allowed>)
  const wrap = timings.timed('wrap', createWrap(dependencies))
  const encrypt = timings.timed('encrypt', encryptItems)
  const store = timings.timed('store and audit', createStore(dependencies, audit))
  const answer = timings.timed('reply', reply.items)
  const { refuse, refuseAudited, orRefuse } = createRefuse('tokenize', audit, reply, dependencies)
  const gather = new Coalescer({ batchItems: itemsPerBatch, batchesInFlight, run: processBatch })

  async function processBatch(batch: Entry<GivenItem>[]): Promise<StoredEntry[]> {
    const allowed = await through(batch, authorize)
    const minted = await through(allowed, mint)
    const wrapped = await through(minted, wrap)
    const encrypted = await through(wrapped, encrypt)
    const stored = await store(encrypted)
    metrics.items(stored)
    return stored
  }

  async function process(job: Job<unknown>): Promise<void> {
    const opened = await open(job)
    if (opened.kind !== 'open') return refuse(job, opened)
    const { request, body } = opened
    await orRefuse(job, request, async () => {
      const entries = await gather.add(givenItems(request, body))
      assertAudited(entries)
      const items = entries.map(replyItem)
      // Found item by item, it is a matter of the request as a whole.
      await (items.includes('conflict')
        ? refuseAudited(job, request, 'conflict')
        : answer(request, items.filter(isItem)))
    })
  }

  return {
    process: timings.timed('job', process),
    giveUp: (job) => refuse(job, unopened(job, 'unavailable')),
    batches: () => gather.started,
  }
}

function replyItem(entry: StoredEntry): TokenizeReplyItem | 'conflict' {
  if ('live' in entry) return { token: entry.live.token }
  return entry.failed === 'conflict' ? 'conflict' : { error: entry.failed }
}

const isItem = (item: TokenizeReplyItem | 'conflict'): item is TokenizeReplyItem => item !== 'conflict'
