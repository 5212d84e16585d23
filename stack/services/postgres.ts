import { existsSync } from 'node:fs'
import { realpath, rm } from 'node:fs/promises'
import pg from 'pg'
import { atLeast, findProgram, isExecutable, versionOf } from '../programs.ts'
import type { Service } from '../service.ts'
import { packagedPostgres } from '../sources/npm.ts'
import type { ServiceRecord } from '../state.ts'
import { handOver, unprivileged } from '../unprivileged.ts'
import { initdbOf, makeCluster, removeStalePidFile, superuser } from './postgres-cluster.ts'

const databaseName = 'pii_vault'
const oldest = '14'

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  fsync: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
}

export const postgres: Service = {
  name: 'postgres',
  title: 'Postgres',
  urlVariable: 'STACK_DATABASE_URL',
  programs: '`postgres` and `initdb`',
  portCount: 1,
  // Fast shutdown. SIGTERM would wait for every client to leave by itself.
  stopSignal: 'SIGINT',

  async findOnPath() {
    const file = await findProgram('postgres')
    if (!file) throw new Error('no `postgres` on PATH')
    const real = await realpath(file)
    if (!(await isExecutable(initdbOf(real)))) throw new Error(`no \`initdb\` beside ${real}`)
    const version = await postgresVersion(real)
    if (!atLeast(version, oldest)) throw new Error(`${real} is ${version}; ${oldest} is the oldest that will do`)
    return { source: 'path', file: real, version }
  },

  async findPackaged() {
    const file = await packagedPostgres()
    return { source: 'packaged', file, version: await postgresVersion(file) }
  },

  reads: (madeBy, version) => major(madeBy) === major(version),

  async prepare(place, record, binary, progress) {
    const as = await unprivileged()
    if (!record.madeBy) await rm(place.data, { recursive: true, force: true })
    if (!existsSync(place.data)) {
      progress(`Initialising Postgres ${binary.version}`)
      await makeCluster(place, record, binary, as.prefix)
    }
    await handOver(place.data, as.owner)
    await removeStalePidFile(place)
    const options = Object.entries({ ...settings, port: String(record.ports[0]) })
    const args = ['-D', place.data, ...options.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
    const [file = '', ...rest] = [...as.prefix, binary.file, ...args]
    return { file, args: rest }
  },

  container: (record) => ({
    image: 'postgres:18.4',
    port: 5432,
    mount: '/var/lib/postgresql',
    environment: {
      POSTGRES_USER: superuser,
      POSTGRES_PASSWORD: record.password,
      POSTGRES_INITDB_ARGS: '--auth-host=scram-sha-256 --encoding=UTF8 --locale=C',
    },
    options: ['--shm-size', '256m'],
    args: Object.entries({
      ...settings,
      listen_addresses: '*',
      unix_socket_directories: '/var/run/postgresql',
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  }),

  async ready(record) {
    return withClient(urlOf(record, 'postgres'), async (client) => {
      const { rowCount } = await client.query('select from pg_database where datname = $1', [databaseName])
      if (rowCount === 0) await client.query(`create database ${databaseName}`)
    })
  },

  answers: (url) => withClient(url, async (client) => void (await client.query('select 1'))),
  address: (record) => urlOf(record, databaseName),
}

async function withClient(url: string, task: (client: pg.Client) => Promise<void>): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await task(client)
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

function urlOf(record: ServiceRecord, database: string): string {
  return `postgres://${superuser}:${record.password}@127.0.0.1:${record.ports[0]}/${database}`
}

function postgresVersion(file: string): Promise<string> {
  return versionOf(file, ['--version'], /PostgreSQL\) (\d+[\w.]*)/)
}

function major(version: string): string {
  return version.split('.')[0] ?? version
}
