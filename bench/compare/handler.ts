import type { Job } from 'bullmq'
import type { ReplyEnvelope } from '../../shared/contract/reply.ts'
import { detokBody } from '../../shared/contract/request.ts'
import type { Entry, OpenRequest, Stage } from '../../workers/batch.ts'
import { through } from '../../workers/batch.ts'
import { itemsPerBatch } from '../../workers/batching.ts'
import type { Dependencies } from '../../workers/dependencies.ts'
import { replyItem } from '../../workers/detok.ts'
import { askedItems } from '../../workers/stages/asked-items.ts'
import { createAuthorize } from '../../workers/stages/authorize.ts'
import type { DecryptedItem } from '../../workers/stages/decrypt.ts'
import { decryptItems } from '../../workers/stages/decrypt.ts'
import type { AskedItem, FoundItem } from '../../workers/stages/lookup.ts'
import { createOpen } from '../../workers/stages/open.ts'
import { sealItems } from '../../workers/stages/reply.ts'
import { createUnwrap } from '../../workers/stages/unwrap.ts'

/** A request that a handler was given, by whatever queue. */
export interface TakenRequest {
  readonly id: string
  readonly data: unknown
}

export interface Answer {
  readonly request: OpenRequest
  readonly reply: ReplyEnvelope
}

/** How a handler talks to Postgres. */
export interface Records {
  readonly find: Stage<AskedItem, FoundItem>
  /** Resolves when the audit of these is committed. */
  readonly record: (entries: readonly Entry<DecryptedItem>[]) => Promise<void>
}

/**
 * What every rival does with requests, from this project's own parts: open, lookup, authorize, unwrap, decrypt, audit, seal the
 * reply. Nothing is gathered beyond the requests that are handed in together, so only the shape around it differs.
 */
export function createHandler(dependencies: Dependencies, { find, record }: Records) {
  const open = createOpen('detok', detokBody, dependencies)
  const authorize = createAuthorize(dependencies)
  const unwrapBatch = createUnwrap(dependencies)

  const unwrap: typeof unwrapBatch = async (items) => {
    const batches = Array.from({ length: Math.ceil(items.length / itemsPerBatch) }, (_, i) =>
      items.slice(i * itemsPerBatch, (i + 1) * itemsPerBatch),
    )
    return (await Promise.all(batches.map(unwrapBatch))).flat()
  }

  async function openOne({ id, data }: TakenRequest) {
    // All that is looked at of a job.
    const job: Pick<Job<unknown>, 'id' | 'name' | 'data' | 'attemptsStarted'> = {
      id,
      name: 'detok',
      data,
      attemptsStarted: 1,
    }
    const opened = await open(job as Job<unknown>)
    if (opened.kind !== 'open') throw new Error(`a request was refused: ${opened.code}`)
    return opened
  }

  return async (taken: readonly TakenRequest[]): Promise<Answer[]> => {
    const opened = await Promise.all(taken.map(openOne))
    const asked = opened.flatMap(({ request, body }) => askedItems(request, body))
    const found = await through(asked, find)
    const allowed = await through(found, authorize)
    const unwrapped = await through(allowed, unwrap)
    const decrypted = await through(unwrapped, decryptItems)
    await record(decrypted)
    let next = 0
    return opened.map(({ request }) => {
      const entries = decrypted.slice(next, next + request.itemCount)
      next += request.itemCount
      return { request, reply: sealItems(request, entries.map(replyItem)) }
    })
  }
}
