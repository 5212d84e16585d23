import { kekName } from '../../shared/contract/names.ts'
import type { Transit } from '../../shared/transit/index.ts'
import { keyVersionOf } from '../../shared/transit/index.ts'
import type { AuditedItem, Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Minted } from './mint.ts'

export interface Wrapped {
  /** `vault:vN:…` */
  readonly wrappedDek: string
  readonly kekVersion: number
}

/**
 * Stage **wrap**: one Transit call wraps the DEKs of the batch under the KEK's newest version. A DEK that it did not wrap is
 * zeroed: nothing will be encrypted under it.
 */
export function createWrap({ transit }: Dependencies) {
  return async <T extends AuditedItem & Minted>(items: T[]): Promise<Entry<T & Wrapped>[]> => {
    const wiped = (item: T) => {
      item.dek.wipe()
      return fail(item, 'unavailable')
    }
    try {
      return await bisect(items, (some) => transit.use((it) => encrypt(it, some, wiped)), wiped)
    } catch (error) {
      items.forEach(wiped)
      throw error
    }
  }
}

async function encrypt<T extends AuditedItem & Minted>(
  transit: Transit,
  items: readonly T[],
  unwrappable: (item: T) => Entry<T & Wrapped>,
): Promise<Entry<T & Wrapped>[]> {
  const results = await transit.encrypt(
    kekName,
    items.map(({ dek }) => dek.reveal()),
  )
  return items.map((item, i) => {
    const result = results[i]
    if (result === undefined || 'error' in result) return unwrappable(item)
    return live({ ...item, wrappedDek: result.ok, kekVersion: keyVersionOf(result.ok) })
  })
}
