import type { KeyObject } from 'node:crypto'
import { createHash, createPublicKey } from 'node:crypto'
import { basename } from 'node:path'
import { compactVerify } from 'jose'
import { z } from 'zod'
import type { BundleFiles } from './files.ts'
import { BundleRejected } from './files.ts'
import { canonicalJson, parseJson } from './json.ts'

/**
 * OPA's bundle signature: `.signatures.json` holds one JWT, whose payload lists every file of the bundle with its hash.
 * JSON files are hashed in a canonical form, all others byte by byte.
 */
export const signaturesFile = '.signatures.json'
const structured = new Set(['data.json', '.manifest'])

const signaturesSchema = z.object({ signatures: z.tuple([z.string().max(1_000_000)]) })
const payloadSchema = z.object({
  files: z.array(z.object({ name: z.string(), hash: z.string(), algorithm: z.string() })).max(100),
  // OPA compares it with the scope the verifier is set up for. Here that is none: a signature for another use is refused.
  scope: z.literal('').optional(),
})

/** OPA knows weaker ones too; no one needs them. */
const hashes = new Map([
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])

export function parsePublicKey(pem: Buffer): KeyObject {
  // Node would derive the public key from it, and a signing key would lie about on every worker unnoticed.
  if (pem.includes('PRIVATE KEY')) throw new BundleRejected('the public key file holds a private key')
  try {
    return createPublicKey(pem)
  } catch {
    throw new BundleRejected('the public key file holds no public key in PEM')
  }
}

/** Returns if the signature is of this key and covers exactly these files; throws `BundleRejected` otherwise. */
export async function verifySignature(files: BundleFiles, key: KeyObject): Promise<void> {
  const listed = new Map((await signedFiles(files, key)).map((file) => [file.name.replace(/^\//, ''), file]))
  for (const [name, bytes] of files) {
    if (name === signaturesFile) continue
    const file = listed.get(name)
    if (file === undefined) throw new BundleRejected('a file is not covered by the signature')
    const hash = hashes.get(file.algorithm)
    if (hash === undefined) throw new BundleRejected('the signature uses an unknown or weak hash')
    const content = structured.has(basename(name)) ? canonicalJson(name, bytes) : bytes
    if (createHash(hash).update(content).digest('hex') !== file.hash) {
      throw new BundleRejected('a file was altered after it was signed')
    }
    listed.delete(name)
  }
  if (listed.size > 0) throw new BundleRejected('a file that the signature covers is missing')
}

async function signedFiles(files: BundleFiles, key: KeyObject) {
  const bytes = files.get(signaturesFile)
  if (bytes === undefined) throw new BundleRejected('it is not signed')
  const signatures = signaturesSchema.safeParse(parseJson(signaturesFile, bytes))
  if (!signatures.success) throw new BundleRejected(`${signaturesFile} does not hold exactly one signature`)
  const verified = await compactVerify(signatures.data.signatures[0], key, { algorithms: algorithmsFor(key) }).catch(
    () => undefined,
  )
  if (verified === undefined) throw new BundleRejected('its signature is not of the public key')
  const payload = payloadSchema.safeParse(parseJson(signaturesFile, verified.payload))
  if (!payload.success) throw new BundleRejected('its signature is not one of a bundle')
  return payload.data.files
}

/** The key decides which algorithms count, never the token: no `none`, and no HMAC with a public key as the secret. */
function algorithmsFor(key: KeyObject): string[] {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']
    case 'ec':
      return ['ES256', 'ES384', 'ES512']
    case 'ed25519':
      return ['EdDSA', 'Ed25519']
    default:
      throw new BundleRejected('the public key is of a kind that signs no bundles')
  }
}
