import type { KeyObject } from 'node:crypto'
import { createCipheriv, createDecipheriv, createSecretKey, randomFillSync } from 'node:crypto'

/*
 * AES-256-GCM (NIST SP 800-38D).
 *
 * Layout:  iv (12 bytes) ‖ ciphertext (as long as the plaintext) ‖ tag (16 bytes)
 * Nonce:   96 random bits for each message. A record's DEK seals one message; a session key seals at most some
 *          millions in its hour, far below the 2^32 at which random nonces stop being safe under one key.
 * Tag:     always 16 bytes; `authTagLength` is set because Node otherwise accepts a shorter tag when opening.
 */
const algorithm = 'aes-256-gcm'
export const ivBytes = 12
export const tagBytes = 16
const options = { authTagLength: tagBytes }

/** Makes a key of 32 bytes. Throws RangeError for any other length, without showing the bytes. */
export function aesKey(bytes: Buffer): KeyObject {
  if (bytes.length !== 32) throw new RangeError(`an AES-256 key has 32 bytes, not ${bytes.length}`)
  return createSecretKey(bytes)
}

/** A key that serves once is given as its bytes: making a KeyObject of them costs half as much as the decryption. */
export type AesKey = KeyObject | Buffer

export function seal(key: AesKey, plaintext: Buffer, aad: Buffer): Buffer {
  const iv = nextIv()
  const cipher = createCipheriv(algorithm, key, iv, options)
  cipher.setAAD(aad)
  const body = cipher.update(plaintext)
  cipher.final()
  return Buffer.concat([iv, body, cipher.getAuthTag()], ivBytes + body.length + tagBytes)
}

/** The plaintext, or undefined if these bytes were not sealed with this key and this AAD. */
export function open(key: AesKey, sealed: Buffer, aad: Buffer): Buffer | undefined {
  if (sealed.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, ivBytes), options)
  decipher.setAAD(aad)
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  const plaintext = decipher.update(sealed.subarray(ivBytes, sealed.length - tagBytes))
  try {
    decipher.final()
  } catch {
    plaintext.fill(0)
    return undefined
  }
  return plaintext
}

// Random bytes in blocks: a call into the kernel's generator per message costs as much as the sealing itself.
const block = Buffer.alloc(ivBytes * 256)
let used = block.length

function nextIv(): Buffer {
  if (used === block.length) {
    randomFillSync(block)
    used = 0
  }
  const iv = Buffer.from(block.subarray(used, used + ivBytes))
  used += ivBytes
  return iv
}
