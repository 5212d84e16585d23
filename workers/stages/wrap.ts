import { kekName } from '../../shared/contract/names.ts'
import type { AuditedItem, Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { bisect } from '../bisect.ts'
import type { Dependencies } from '../dependencies.ts'
import type { Minted } from './mint.ts'
import { transitErrors } from './unwrap.ts'

export interface Wrapped {
  /** `vault:vN:…` */
  readonly wrappedDek: string
  readonly kekVersion: number
}

/** Stage **wrap**: one Transit call wraps the DEKs of the batch under the KEK's newest version. */
export function createWrap({ transit }: Dependencies) {
  async function encrypt<T extends AuditedItem & Minted>(items: readonly T[]): Promise<Entry<T & Wrapped>[]> {
    const results = await transit.transit.encrypt(
      kekName,
      items.map(({ dek }) => dek.reveal()),
    )
    return items.map((item, i) => {
      const result = results[i]
      if (result === undefined || 'error' in result) {
        item.dek.wipe()
        return fail(item, result === undefined ? 'unavailable' : transitErrors[result.error])
      }
      return live({ ...item, wrappedDek: result.ok, kekVersion: Number(/^vault:v(\d+):/.exec(result.ok)?.[1]) })
    })
  }
  return <T extends AuditedItem & Minted>(items: T[]): Promise<Entry<T & Wrapped>[]> =>
    bisect(
      items,
      (some) => transit.guard.use(() => encrypt(some)),
      (item) => {
        item.dek.wipe()
        return fail(item, 'unavailable')
      },
    )
}
