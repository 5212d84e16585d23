import { sealRecord } from '../../shared/crypto/record.ts'
import type { Secret } from '../../shared/crypto/secret.ts'
import type { Entry } from '../batch.ts'
import { live } from '../batch.ts'
import type { Allowed, Labelled } from './authorize.ts'
import type { Minted } from './mint.ts'
import type { Wrapped } from './wrap.ts'

export type WrappedItem = Labelled & Allowed & Minted & Wrapped & { readonly value: Secret }
export type EncryptedItem = Omit<WrappedItem, 'dek' | 'value'> & { readonly ciphertext: Buffer }

/** Stage **encrypt**: each value under its own DEK, which is zeroed right after. */
export function encryptItems(items: WrappedItem[]): Entry<EncryptedItem>[] {
  return items.map(({ dek, value, ...item }) => {
    try {
      return live({ ...item, ciphertext: sealRecord(dek.reveal(), value, item) })
    } finally {
      dek.wipe()
    }
  })
}
