import { createHash, createHmac, pbkdf2, randomBytes } from 'node:crypto'
import { promisify } from 'node:util'

/*
 * What Postgres keeps instead of a password, computed here so that the password itself is never in a statement, which the
 * server may log.
 *
 * RFC 5802, section 3, with SHA-256 as in RFC 7677:
 *   SaltedPassword  PBKDF2-HMAC-SHA-256 of the password, 32 bytes
 *   StoredKey       SHA-256(HMAC(SaltedPassword, "Client Key"))
 *   ServerKey       HMAC(SaltedPassword, "Server Key")
 * Form, as in the documentation of `pg_authid`: SCRAM-SHA-256$<iterations>:<salt>$<StoredKey>:<ServerKey>, each in base64.
 * Passwords are to be ASCII: others would have to go through SASLprep (RFC 4013) first.
 */
const iterations = 4_096
const keyBytes = 32

export async function scramVerifier(password: string, salt = randomBytes(16)): Promise<string> {
  if (!/^[!-~]+$/.test(password)) throw new RangeError('a password is to be of printable ASCII, without spaces')
  const salted = await promisify(pbkdf2)(password, salt, iterations, keyBytes, 'sha256')
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest()
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest('base64')
  const serverKey = hmac('Server Key').toString('base64')
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`
}
