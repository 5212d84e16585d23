import { cp, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Policy } from '../../../shared/policy/index.ts'
import { openPolicy } from '../../../shared/policy/index.ts'
import { until } from '../../harness/until.ts'
import { committed } from './opa.ts'

/** A bundle that a test can change, in a directory of its own. */
export interface Workplace {
  root: string
  /** A link to the bundle that counts, as a config map has one. */
  location: string
  /** The bundle that `write` and the other verbs change: the one that counts, until `next` is called. */
  bundle: string
  /** Begins a next bundle, a copy that does not count yet. */
  next(): Promise<void>
  /** Makes the next bundle count, at once. */
  turn(): Promise<void>
  write(name: string, content: string | Buffer): Promise<void>
  setRevision(revision: string): Promise<void>
  /** Gives the actor `cli` another tenant, by which a test sees whose data is in force. */
  setTenant(tenant: string): Promise<void>
  remove(): Promise<void>
}

export async function makeWorkplace(): Promise<Workplace> {
  const root = await mkdtemp(join(tmpdir(), 'policy-bundle-'))
  const location = join(root, 'location')
  let copies = 0
  const edit = async (name: string, change: (content: Record<string, unknown>) => void) => {
    const content = JSON.parse(await readFile(join(place.bundle, name), 'utf8')) as Record<string, unknown>
    change(content)
    await place.write(name, JSON.stringify(content))
  }
  const place: Workplace = {
    root,
    location,
    bundle: committed,
    next: async () => {
      const copy = join(root, `bundle-${copies++}`)
      await cp(place.bundle, copy, { recursive: true })
      place.bundle = copy
    },
    turn: async () => {
      await symlink(place.bundle, join(root, 'turned'))
      await rename(join(root, 'turned'), location)
    },
    write: async (name, content) => {
      // Renamed into place: a reader sees the old file or the new one.
      await writeFile(join(root, 'written'), content)
      await rename(join(root, 'written'), join(place.bundle, name))
    },
    setRevision: (revision) => edit('.manifest', (manifest) => Object.assign(manifest, { revision })),
    setTenant: (tenant) =>
      edit('data.json', (data) => Object.assign(data, { actors: { cli: { tenant, grants: {} } } })),
    remove: () => rm(root, { recursive: true }),
  }
  await place.next()
  await place.turn()
  return place
}

export interface Watched {
  policy: Policy
  log: string[]
  /** What was logged of changed bundles that were not taken. */
  rejections(): string[]
  /** Resolves once the change just made was rejected, for a reason that matches, and the tenant is still this one. */
  rejects(problem: RegExp, tenant?: string): Promise<void>
  /** Resolves once this tenant is in force. */
  takes(tenant: string): Promise<void>
}

export async function watch(location: string, publicKeyFile?: string): Promise<Watched> {
  const log: string[] = []
  const write = (fields: object, message: string) => {
    log.push(`${message} ${JSON.stringify(fields)}`)
  }
  const policy = await openPolicy({
    location,
    publicKeyFile,
    log: { info: write, warn: write, error: write },
    reloadIntervalMs: 10,
  })
  const rejections = () => log.filter((line) => line.startsWith('a changed policy bundle was rejected'))
  let seen = 0
  const tenant = async () => await policy.tenantOf('cli')
  return {
    policy,
    log,
    rejections,
    rejects: async (problem, expected = 'demo') => {
      await until('it is rejected', () => rejections().length > seen)
      seen = rejections().length
      if (!problem.test(log.at(-1) ?? '')) throw new Error(`rejected for another reason: ${log.at(-1)}`)
      if ((await tenant()) !== expected) throw new Error(`another policy is in force: ${await tenant()}`)
    },
    takes: async (expected) => {
      await until(`${expected} is in force`, async () => (await tenant()) === expected)
    },
  }
}
