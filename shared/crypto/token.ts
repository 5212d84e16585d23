import { randomBytes } from 'node:crypto'

/*
 * A token is `tok_` and 128 random bits in Crockford's base32 (lower case, no i l o u), most significant bits first:
 * 26 digits, of which the first holds 3 bits. It says nothing about the value, its owner or the time.
 * Postgres keeps the 16 bytes as a uuid, whose index is the cheapest; any 128 bits are a uuid to Postgres.
 */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const prefix = 'tok_'

export function mintToken(): string {
  return tokenFromBytes(randomBytes(16))
}

export function tokenFromBytes(bytes: Buffer): string {
  let bits = BigInt(`0x${bytes.toString('hex')}`)
  let digits = ''
  for (let i = 0; i < 26; i++) {
    digits = alphabet.charAt(Number(bits & 31n)) + digits
    bits >>= 5n
  }
  return prefix + digits
}

/** The uuid form, 8-4-4-4-12 hex digits. The token must match its grammar. */
export function tokenToUuid(token: string): string {
  let bits = 0n
  for (const digit of token.slice(prefix.length)) bits = (bits << 5n) | BigInt(alphabet.indexOf(digit))
  const hex = bits.toString(16).padStart(32, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function tokenFromUuid(uuid: string): string {
  return tokenFromBytes(Buffer.from(uuid.replaceAll('-', ''), 'hex'))
}
