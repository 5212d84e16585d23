import { randomBytes } from 'node:crypto'
import { Secret } from '../../shared/crypto/secret.ts'
import { mintToken } from '../../shared/crypto/token.ts'
import type { AuditedItem, Entry } from '../batch.ts'
import { live } from '../batch.ts'

export interface Minted {
  readonly token: string
  /** 256 random bits, for this record alone. */
  readonly dek: Secret<Buffer>
}

/** Stage **mint**: a token and a DEK for each item, both random. */
export function mintItems<T extends AuditedItem>(items: T[]): Entry<T & Minted>[] {
  return items.map((item) => live({ ...item, token: mintToken(), dek: new Secret(randomBytes(32)) }))
}
