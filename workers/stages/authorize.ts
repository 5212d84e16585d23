import type { Mask, Policy, Question } from '../../shared/policy/index.ts'
import type { AuditedItem, Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import type { Dependencies } from '../dependencies.ts'

export interface Labelled extends AuditedItem {
  readonly field: string
  readonly subject: string
}
export interface Allowed {
  readonly tenant: string
  readonly mask: Mask
  readonly policyRevision: string
}

/** Stage **authorize**: one policy evaluation for the batch, before any key is touched. Anything but a clear yes is `denied`. */
export function createAuthorize({
  policy,
}: Dependencies): <T extends Labelled>(items: T[]) => Promise<Entry<T & Allowed>[]> {
  async function decide<T extends Labelled>(by: Policy, items: readonly T[]): Promise<Entry<T & Allowed>[]> {
    const { revision, decisions } = await by.decide(items.map(questionOf))
    return items.map((item, i) => {
      const decision = decisions[i]
      const tenant = item.request.tenant
      if (decision?.allow !== true || tenant === undefined) return fail({ ...item, policyRevision: revision }, 'denied')
      return live({ ...item, tenant, mask: decision.mask, policyRevision: revision })
    })
  }
  return (items) =>
    bisect(
      items,
      (some) => policy.use((by) => decide(by, some)),
      (item) => fail(item, 'denied'),
    )
}

function questionOf({ request, field, subject }: Labelled): Question {
  const { actor, tenant = '', purpose, queue: action } = request
  return { actor, tenant, purpose, action, field, subject }
}
