import { kekName } from '../../shared/contract/names.ts'
import type { Secret } from '../../shared/crypto/secret.ts'
import type { ItemErrorCode } from '../../shared/errors/catalogue.ts'
import { ContentSuspected } from '../../shared/errors/server-errors.ts'
import type { ItemResult } from '../../shared/transit/index.ts'
import type { Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import { hasPassed } from '../deadline.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Allowed } from './authorize.ts'
import type { FoundItem } from './lookup.ts'

export type UnwrappedItem = FoundItem & Allowed & { readonly dek: Secret<Buffer> }

/** What Transit's word on an item means to the requester. */
export const transitErrors = {
  rejected: 'corrupt',
  retired: 'key_retired',
  failed: 'unavailable',
} as const satisfies Record<Extract<ItemResult<unknown>, { error: unknown }>['error'], ItemErrorCode>

/** Stage **unwrap**: one Transit call for the DEKs of the batch. A deadline that passed meanwhile ends its items first. */
export function createUnwrap({
  transit,
}: Dependencies): (items: (FoundItem & Allowed)[]) => Promise<Entry<UnwrappedItem>[]> {
  async function decrypt(items: readonly (FoundItem & Allowed)[]): Promise<Entry<UnwrappedItem>[]> {
    const late = items.map(({ request }) => hasPassed(request.exp))
    const inTime = items.filter((_, i) => !late[i])
    const results =
      inTime.length === 0
        ? []
        : await transit.transit.decrypt(
            kekName,
            inTime.map(({ wrappedDek }) => wrappedDek),
          )
    let next = 0
    return items.map((item, i) => {
      if (late[i]) return fail(item, 'expired')
      const result = results[next++]
      if (result === undefined) return fail(item, 'unavailable')
      return 'ok' in result ? live({ ...item, dek: result.ok }) : fail(item, transitErrors[result.error])
    })
  }
  return (items) =>
    bisect(
      items,
      (some) => transit.guard.use(() => decrypt(some)),
      // Only a clear no is final: what Transit merely failed at may open another time.
      (item, error) => fail(item, error instanceof ContentSuspected ? 'unavailable' : 'corrupt'),
    )
}
