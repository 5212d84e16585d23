import { openRecord } from '../../shared/crypto/record.ts'
import { Secret } from '../../shared/crypto/secret.ts'
import { applyMask } from '../../shared/policy/index.ts'
import type { Entry } from '../batch.ts'
import { fail, live } from '../batch.ts'
import type { UnwrappedItem } from './unwrap.ts'

export type DecryptedItem = Omit<UnwrappedItem, 'dek'> & { readonly value: Secret }

/** Stage **decrypt**: the value, as much of it as the mask shows. The DEK is zeroed right after, whatever came of it. */
export function decryptItems(items: UnwrappedItem[]): Entry<DecryptedItem>[] {
  return items.map(({ dek, ...item }) => {
    try {
      const value = openRecord(dek.reveal(), item.ciphertext, item)
      return value === undefined
        ? fail(item, 'corrupt')
        : live({ ...item, value: new Secret(applyMask(item.mask, value.reveal())) })
    } finally {
      dek.wipe()
    }
  })
}
