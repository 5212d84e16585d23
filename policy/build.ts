/**
 * Builds policy/bundle from vault.rego, data.json and REVISION with `opa`. With --check it builds, writes nothing,
 * and fails if the committed bundle is another one. The same source gives the same bytes, wherever and whenever.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { readBundleFiles } from '../shared/policy/files.ts'
import { compareRevisions } from '../shared/policy/revision.ts'

/** Another version compiles other bytes. */
const opaVersion = '1.22.3'
const source = import.meta.dirname
const target = join(source, 'bundle')
const run = promisify(execFile)

async function build(): Promise<Map<string, Buffer>> {
  const revision = (await readFile(join(source, 'REVISION'), 'utf8')).trim()
  const scratch = await mkdtemp(join(tmpdir(), 'policy-'))
  try {
    const archive = join(scratch, 'bundle.tar.gz')
    const entrypoints = ['-e', 'vault/decisions', '-e', 'vault/tenant']
    const inputs = ['vault.rego', 'data.json']
    await run('opa', ['build', '-t', 'wasm', ...entrypoints, '-r', revision, '-o', archive, ...inputs], { cwd: source })
    const built = await readBundleFiles(archive)
    const files = new Map<string, Buffer>()
    for (const name of ['policy.wasm', '.manifest']) files.set(name, built.get(name) ?? Buffer.alloc(0))
    // As it is written, for a person to edit: opa would put it on one line.
    return files.set('data.json', await readFile(join(source, 'data.json')))
  } finally {
    await rm(scratch, { recursive: true })
  }
}

async function differences(files: Map<string, Buffer>): Promise<string[]> {
  const committed = await readBundleFiles(target).catch(() => new Map<string, Buffer>())
  const names = new Set([...files.keys(), ...committed.keys()])
  return [...names].filter((name) => committed.get(name)?.equals(files.get(name) ?? Buffer.alloc(0)) !== true)
}

function revisionOf(manifest: Buffer | undefined): string {
  return manifest === undefined ? '0' : (JSON.parse(manifest.toString()) as { revision: string }).revision
}

async function write(files: Map<string, Buffer>, changed: string[]): Promise<void> {
  const before = await readBundleFiles(target).catch(() => new Map<string, Buffer>())
  const [was, is] = [revisionOf(before.get('.manifest')), revisionOf(files.get('.manifest'))]
  if (changed.length > 0 && compareRevisions(is, was) <= 0) {
    throw new Error(
      `The policy changed, but revision ${is} is not newer than ${was}, so no worker would take it: raise policy/REVISION.`,
    )
  }
  await mkdir(target, { recursive: true })
  for (const [name, bytes] of files) await writeFile(join(target, name), bytes)
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const { stdout } = await run('opa', ['version'])
if (!stdout.startsWith(`Version: ${opaVersion}\n`)) throw new Error(`policy/build.ts needs opa ${opaVersion} on PATH.`)
const files = await build()
const changed = await differences(files)
if (!values.check) await write(files, changed)
else if (changed.length > 0) {
  console.error(`policy/bundle is not what policy/build.ts makes of the source: ${changed.join(', ')} differ.`)
  process.exitCode = 1
}
