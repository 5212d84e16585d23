import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { extract } from 'tar-stream'

/** A bundle is not what it should be. The message is ours: it quotes neither the bundle nor a library. */
export class BundleRejected extends Error {
  override readonly name = 'BundleRejected'
}

/** The files of a bundle by their names in it, without a leading slash. */
export type BundleFiles = ReadonlyMap<string, Buffer>

const maxFileBytes = 32 * 1024 * 1024
const maxBundleBytes = 64 * 1024 * 1024
const maxFiles = 100
const nameGrammar = /^(?:[A-Za-z0-9_.-]+\/)*[A-Za-z0-9_.-]+$/
const inDirectory = /^(?:policy\.wasm|data\.json|\.manifest|\.signatures\.json|[^.].*\.rego)$/

/** Reads a bundle from a `.tar.gz` as `opa build` makes it, or from a directory with the same files at its top. */
export async function readBundleFiles(location: string): Promise<BundleFiles> {
  const found = await stat(location).catch(() => undefined)
  if (found === undefined) throw new BundleRejected('it does not exist or may not be read')
  return found.isDirectory() ? readDirectory(location) : await unpack(await readWithin(location))
}

async function readDirectory(location: string): Promise<BundleFiles> {
  const names = (await readdir(location)).filter((name) => inDirectory.test(name)).sort()
  if (names.length > maxFiles) throw new BundleRejected('it has too many files')
  const files = new Map<string, Buffer>()
  for (const name of names) files.set(name, await readWithin(join(location, name)))
  return files
}

async function readWithin(path: string): Promise<Buffer> {
  try {
    const found = await stat(path)
    // A pipe or a device would be read for ever.
    if (found.isFile() && found.size <= maxFileBytes) return await readFile(path)
  } catch {
    throw new BundleRejected('a file of it cannot be read')
  }
  throw new BundleRejected('a file of it is too large or no regular file')
}

async function unpack(archive: Buffer): Promise<BundleFiles> {
  const files = new Map<string, Buffer>()
  try {
    const entries = extract()
    entries.end(gunzipSync(archive, { maxOutputLength: maxBundleBytes }))
    for await (const entry of entries) {
      if (entry.header.type === 'directory') {
        entry.resume()
        continue
      }
      const name = entry.header.name.replace(/^\//, '')
      if (entry.header.type !== 'file' || !isPlainName(name)) {
        throw new BundleRejected('an entry has a bad name or type')
      }
      if (files.has(name)) throw new BundleRejected('an entry occurs twice')
      if (files.size === maxFiles) throw new BundleRejected('it has too many files')
      files.set(name, await buffer(entry))
    }
  } catch (error) {
    if (error instanceof BundleRejected) throw error
    throw new BundleRejected('it is no whole .tar.gz within the size limit')
  }
  return files
}

function isPlainName(name: string): boolean {
  return nameGrammar.test(name) && !name.split('/').some((part) => part === '.' || part === '..')
}
