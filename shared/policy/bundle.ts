import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { BundleFiles } from './files.ts'
import { BundleRejected, readBundleFiles } from './files.ts'
import { parseJson } from './json.ts'
import { revisionGrammar } from './revision.ts'
import { parsePublicKey, signaturesFile, verifySignature } from './signature.ts'

/** What a bundle says, read but not yet run. */
export interface Bundle {
  readonly revision: string
  readonly wasm: Buffer
  readonly data: object
}

/** A bundle as it lies there. */
export interface StoredBundle {
  readonly files: BundleFiles
  readonly publicKey: Buffer | undefined
  /** The same for the same policy and data, whoever signed it. */
  readonly contents: string
  /** The same as long as nothing has changed: contents, signature, or the key that is to verify it. */
  readonly fingerprint: string
}

const manifestSchema = z.object({ revision: z.string().regex(revisionGrammar) })
const dataSchema = z.record(z.string(), z.unknown())

export async function readStoredBundle(location: string, publicKeyFile: string | undefined): Promise<StoredBundle> {
  const publicKey = publicKeyFile === undefined ? undefined : await readKey(publicKeyFile)
  const files = await readBundleFiles(location)
  const contents = createHash('sha256')
  for (const [name, bytes] of files) {
    if (name !== signaturesFile) contents.update(`${bytes.length} ${name}\n`).update(bytes)
  }
  const signed = createHash('sha256').update(contents.copy().digest())
  signed
    .update(files.get(signaturesFile) ?? '')
    .update('\n')
    .update(publicKey ?? '')
  return { files, publicKey, contents: contents.digest('hex'), fingerprint: signed.digest('hex') }
}

export async function parseBundle({ files, publicKey }: StoredBundle): Promise<Bundle> {
  if (publicKey !== undefined) await verifySignature(files, parsePublicKey(publicKey))
  // What merges several data files is `opa build`; one that is passed over here would be a policy not in force.
  for (const name of files.keys()) {
    if (/data\.(json|ya?ml)$/.test(name) && name !== 'data.json') {
      throw new BundleRejected('it has data files other than data.json at its top')
    }
  }
  const manifest = manifestSchema.safeParse(parseJson('.manifest', fileOf(files, '.manifest')))
  if (!manifest.success) throw new BundleRejected('.manifest has no revision that can be ordered, such as 2026-11-30.1')
  const data = dataSchema.safeParse(parseJson('data.json', fileOf(files, 'data.json')))
  if (!data.success) throw new BundleRejected('data.json is not a JSON object')
  return { revision: manifest.data.revision, wasm: fileOf(files, 'policy.wasm'), data: data.data }
}

function fileOf(files: BundleFiles, name: string): Buffer {
  const bytes = files.get(name)
  if (bytes === undefined) throw new BundleRejected(`it has no ${name}`)
  return bytes
}

async function readKey(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch {
    throw new BundleRejected('the public key file cannot be read')
  }
}
