import { kekName } from '../../shared/contract/names.ts'
import type { Secret } from '../../shared/crypto/secret.ts'
import type { ItemErrorCode } from '../../shared/errors/catalogue.ts'
import { ContentSuspected } from '../../shared/errors/server-errors.ts'
import type { ItemError, Transit } from '../../shared/transit/index.ts'
import type { Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import { hasPassed } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Allowed } from './authorize.ts'
import type { FoundItem } from './lookup.ts'

export type UnwrappedItem = FoundItem & Allowed & { readonly dek: Secret<Buffer> }

/** What Transit's word on a wrapped DEK means to the requester. */
const codes = {
  rejected: 'corrupt',
  retired: 'key_retired',
  'too new': 'unavailable',
  failed: 'unavailable',
} as const satisfies Record<ItemError, ItemErrorCode>

/** Stage **unwrap**: one Transit call for the DEKs of the batch. A deadline that passed meanwhile ends its items first. */
export function createUnwrap({
  transit,
}: Dependencies): (items: (FoundItem & Allowed)[]) => Promise<Entry<UnwrappedItem>[]> {
  return async (items) => {
    const unwrapped: Secret<Buffer>[] = []
    try {
      return await bisect(
        items,
        (some) => transit.use((it) => decrypt(it, some, unwrapped)),
        // Only a clear no is final: what Transit merely failed at may open another time.
        (item, error) => fail(item, error instanceof ContentSuspected ? 'unavailable' : 'corrupt'),
      )
    } catch (error) {
      // One half of a batch was unwrapped, and nobody will use it.
      for (const dek of unwrapped) dek.wipe()
      throw error
    }
  }
}

async function decrypt(
  transit: Transit,
  items: readonly (FoundItem & Allowed)[],
  unwrapped: Secret<Buffer>[],
): Promise<Entry<UnwrappedItem>[]> {
  const late = items.map(({ request }) => hasPassed(request.exp))
  const wrapped = items.filter((_, i) => !late[i]).map(({ wrappedDek }) => wrappedDek)
  const results = wrapped.length === 0 ? [] : await transit.decrypt(kekName, wrapped)
  let next = 0
  return items.map((item, i) => {
    if (late[i]) return fail(item, 'expired')
    const result = results[next++]
    if (result === undefined) return fail(item, 'unavailable')
    if ('error' in result) return fail(item, codes[result.error])
    unwrapped.push(result.ok)
    return live({ ...item, dek: result.ok })
  })
}
