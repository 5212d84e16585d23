import { isUtf8 } from 'node:buffer'
import type { KeyObject } from 'node:crypto'
import { createHash } from 'node:crypto'
import { open, seal } from '../crypto/aes-gcm.ts'
import { limits } from './grammar.ts'

/*
 * The sealed body of a request or a reply.
 *
 * Layout:     base64 of iv ‖ ciphertext ‖ tag, AES-256-GCM under the session key (crypto/aes-gcm.ts)
 * Plaintext:  JSON in UTF-8, padded with spaces to a multiple of 256 bytes. Its buffer holds values, so it is wiped;
 *             the strings beside it cannot be.
 */

/** Characters of base64 that the largest body may have; checked before anything is decoded. */
export const bodyCharacters = Math.ceil(limits.bodyBytes / 3) * 4

export function sealBody(key: KeyObject, content: unknown, aad: Buffer): Buffer {
  const json = JSON.stringify(content)
  const length = Math.ceil(Buffer.byteLength(json) / limits.paddingBytes) * limits.paddingBytes
  const plaintext = Buffer.alloc(length, ' ')
  try {
    plaintext.write(json)
    return seal(key, plaintext, aad)
  } finally {
    plaintext.fill(0)
  }
}

/**
 * The JSON inside, still unknown; `undefined` if the bytes do not open under this key and AAD, `'not json'` if they
 * open to something else. JSON's own error text is dropped: it quotes the content.
 */
export function openBody(key: KeyObject, body: Buffer, aad: Buffer): { content: unknown } | 'not json' | undefined {
  const plaintext = open(key, body, aad)
  if (plaintext === undefined) return undefined
  try {
    return isUtf8(plaintext) ? { content: JSON.parse(plaintext.toString('utf8')) as unknown } : 'not json'
  } catch {
    return 'not json'
  } finally {
    plaintext.fill(0)
  }
}

/** The bytes of strict, padded, standard base64; undefined for anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

/** Hex SHA-256 of a request's body bytes. */
export function digestOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex')
}

/** The same of a body too large to decode at once: piece by piece, so that it costs no memory. */
export function digestOfEncoded(body: string): string {
  const hash = createHash('sha256')
  const piece = 65_536
  for (let at = 0; at < body.length; at += piece) hash.update(Buffer.from(body.slice(at, at + piece), 'base64'))
  return hash.digest('hex')
}
