import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import type { TestVault } from '../../test/harness/vault.ts'
import type { Bench } from '../bench.ts'
import { median } from './statistics.ts'

/** Where figures come from: they mean nothing without it. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly memoryGiB: number
  readonly kernel: string
  readonly versions: Readonly<Record<string, string>>
  /** What makes writes durable, as the servers say it themselves. */
  readonly durability: Readonly<Record<string, string>>
  /** Of the embedded stack's data; not measured for servers elsewhere, whose disks are not to be seen. */
  readonly disk?: { readonly fileSystem: string; readonly fsyncMs: number }
}

const libraries = ['bullmq', 'ioredis', 'pg', 'undici']

export async function describeMachine({ vault, servers }: Pick<Bench, 'vault' | 'servers'>): Promise<Machine> {
  const { directory } = vault.stack
  const { postgres, durability } = await askPostgres(vault)
  const valkey = await askValkey(vault)
  return {
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${release()}`,
    versions: {
      Node: process.versions.node,
      OpenBao: await openBaoVersion(vault),
      [valkey.name]: valkey.version,
      Postgres: postgres,
      ...Object.fromEntries(libraries.map((name) => [name, versionOf(name)])),
    },
    durability: { ...durability, ...valkey.durability },
    ...(servers.postgres !== undefined && {
      disk: { fileSystem: fileSystemOf(directory), fsyncMs: fsyncMsIn(directory) },
    }),
  }
}

export function machineText({ cpu, cores, memoryGiB, kernel, versions, durability, disk }: Machine): string {
  const list = (entries: Readonly<Record<string, string>>) =>
    Object.entries(entries)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')
  const data = disk ? `data on ${disk.fileSystem}, fsync ${disk.fsyncMs.toFixed(2)} ms` : 'data on servers elsewhere'
  return [`${cores} × ${cpu}, ${memoryGiB} GiB, ${kernel}; ${data}`, list(versions), list(durability)].join('\n')
}

async function askPostgres({ postgres }: TestVault) {
  const { rows } = await postgres.query<Record<string, string>>(
    `select current_setting('server_version') as version, current_setting('fsync') as fsync,
       current_setting('synchronous_commit') as synchronous_commit`,
  )
  const { version = '', ...durability } = rows[0] ?? {}
  return { postgres: version.split(' ')[0] ?? '', durability }
}

async function askValkey({ redis }: TestVault) {
  const server = await redis.info('server')
  const version = (name: string) => server.match(new RegExp(`^${name}_version:(.*?)\\r?$`, 'm'))?.[1]
  const setting = async (name: string) => ((await redis.config('GET', name)) as string[])[1] ?? 'unknown'
  const [appendonly, appendfsync] = await Promise.all(['appendonly', 'appendfsync'].map(setting))
  const valkey = version('valkey')
  return {
    name: valkey === undefined ? 'Redis' : 'Valkey',
    version: valkey ?? version('redis') ?? 'unknown',
    durability: { appendonly: appendonly ?? '', appendfsync: appendfsync ?? '' },
  }
}

const health = z.object({ version: z.string() })

async function openBaoVersion({ bao }: TestVault): Promise<string> {
  return (await bao.read('sys/health', health))?.version ?? 'unknown'
}

const manifest = z.object({ version: z.string() })

function versionOf(library: string): string {
  const file = new URL(`../../node_modules/${library}/package.json`, import.meta.url)
  return manifest.parse(JSON.parse(readFileSync(file, 'utf8'))).version
}

/** The type of the mount that holds a path. */
function fileSystemOf(path: string): string {
  const mounts = readMounts().filter(([mount]) => path === mount || path.startsWith(mount === '/' ? '/' : `${mount}/`))
  return mounts.sort(([a], [b]) => b.length - a.length)[0]?.[1] ?? 'unknown'
}

function readMounts(): [path: string, type: string][] {
  try {
    const lines = readFileSync('/proc/mounts', 'utf8').split('\n')
    return lines.map((line) => line.split(' ')).map(([, path = '', type = '']) => [path, type])
  } catch {
    return []
  }
}

/** What it costs to have 8 KiB on the disk, as for a small commit. */
function fsyncMsIn(directory: string): number {
  const file = join(directory, 'fsync-probe')
  const descriptor = openSync(file, 'w', 0o600)
  try {
    const page = randomBytes(8_192)
    const samples = Array.from({ length: 50 }, () => {
      const started = performance.now()
      writeSync(descriptor, page)
      fsyncSync(descriptor)
      return performance.now() - started
    })
    return median(samples)
  } finally {
    closeSync(descriptor)
    rmSync(file)
  }
}
