import { randomBytes } from 'node:crypto'
import { uuidFromBytes, uuidToBytes } from './uuid.ts'

/*
 * A token is `tok_` and 128 random bits in Crockford's base32 (lower case, no i l o u), most significant bits first:
 * 26 digits, of which the first holds 3 bits. It says nothing about the value, its owner or the time.
 * Postgres keeps the 16 bytes as a uuid, whose index is the cheapest; any 128 bits are a uuid to Postgres.
 */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const prefix = 'tok_'
const digits = 26
const bitsPerDigit = 5
/** What 26 digits could hold and 16 bytes do not: the first digit's upper bits, which are zero. */
const spareBits = 2

/** By character code. */
const digitValues = new Uint8Array(128)
for (const [value, digit] of [...alphabet].entries()) digitValues[digit.charCodeAt(0)] = value

export function mintToken(): string {
  return tokenFromBytes(randomBytes(16))
}

export function tokenFromBytes(bytes: Buffer): string {
  let token = prefix
  let window = 0
  let bits = spareBits
  for (const byte of bytes) {
    window = ((window << 8) | byte) & 0xffff
    bits += 8
    for (; bits >= bitsPerDigit; bits -= bitsPerDigit) token += alphabet[(window >> (bits - bitsPerDigit)) & 31]
  }
  return token
}

/** The 16 bytes. The token must match its grammar. */
export function tokenToBytes(token: string): Buffer {
  const bytes = Buffer.allocUnsafe(16)
  let window = 0
  let bits = -spareBits
  let length = 0
  for (let i = prefix.length; i < prefix.length + digits; i++) {
    window = ((window << bitsPerDigit) | (digitValues[token.charCodeAt(i)] ?? 0)) & 0xffff
    bits += bitsPerDigit
    if (bits < 8) continue
    bits -= 8
    bytes[length++] = window >> bits
  }
  return bytes
}

/** The uuid form, 8-4-4-4-12 hex digits. The token must match its grammar. */
export function tokenToUuid(token: string): string {
  return uuidFromBytes(tokenToBytes(token))
}

export function tokenFromUuid(uuid: string): string {
  return tokenFromBytes(uuidToBytes(uuid))
}
