import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { connect as connectTls, createServer } from 'node:tls'
import { Client } from 'pg'
import { stopService } from '../../stack/index.ts'
import { openbao } from '../../stack/services/openbao.ts'
import { placeOf, readRecord } from '../../stack/state.ts'
import type { CertificateFiles, CertificateKind, Certificates } from './certificates.ts'
import { certificateKinds } from './certificates.ts'
import { freePort } from './free-port.ts'
import { until } from './until.ts'
import type { TestVault } from './vault.ts'

/* The servers of a vault that has them alone, as TLS servers, each with a certificate of every kind. */

export type Addresses = Readonly<Record<CertificateKind, string>>

/** Calls it for each kind of certificate. */
async function forEachKind(address: (kind: CertificateKind) => Promise<string>): Promise<Addresses> {
  const entries = certificateKinds.map(async (kind) => [kind, await address(kind)] as const)
  return Object.fromEntries(await Promise.all(entries)) as Addresses
}

/** The packaged Valkey is built without TLS, so what ends it stands before the server. Answers the ports. */
export function startValkeyTls(vault: TestVault, certificates: Certificates): Promise<Addresses> {
  const upstream = new URL(vault.stack.queueUrl)
  return forEachKind(async (kind) => {
    const sockets = new Set<Socket>()
    const { cert, key } = certificates[kind]
    const server = createServer({ cert: await readFile(cert), key: await readFile(key) }, (socket) => {
      const through = connectTcp(Number(upstream.port), upstream.hostname)
      for (const [one, other] of [
        [socket, through],
        [through, socket],
      ] as const) {
        sockets.add(one)
        one.on('error', () => undefined).on('close', () => other.destroy())
        one.pipe(other)
      }
    })
    server.on('tlsClientError', () => undefined)
    await once(server.listen(0, '127.0.0.1'), 'listening')
    vault.onClose(async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return String((server.address() as AddressInfo).port)
  })
}

/** Postgres's own TLS, with this certificate from now on. */
export async function setPostgresCertificate(vault: TestVault, { cert, key }: CertificateFiles): Promise<void> {
  const { data } = placeOf(vault.stack.directory, 'postgres')
  const { uid, gid } = await stat(data)
  for (const [from, to] of [
    [cert, join(data, 'server.crt')],
    [key, join(data, 'server.key')],
  ] as const) {
    await copyFile(from, to)
    await chown(to, uid, gid)
  }
  await vault.postgres.query("alter system set ssl = 'on'")
  await vault.postgres.query('select pg_reload_conf()')
  const { port } = new URL(vault.stack.databaseUrl)
  const wanted = (await readFile(cert, 'utf8')).trim()
  await until('Postgres shows the certificate', async () => (await shownBy(Number(port))) === wanted)
}

/** The certificate that Postgres shows: to a request for TLS it answers S, and TLS begins. */
async function shownBy(port: number): Promise<string | undefined> {
  const socket = connectTcp(port, '127.0.0.1')
  socket.on('error', () => undefined)
  try {
    await once(socket, 'connect')
    socket.write(Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]))
    const [answer] = (await once(socket, 'data')) as [Buffer]
    if (answer.toString() !== 'S') return undefined
    const secure = connectTls({ socket, rejectUnauthorized: false })
    secure.on('error', () => undefined)
    await once(secure, 'secureConnect')
    return secure.getPeerX509Certificate()?.toString().trim()
  } finally {
    socket.destroy()
  }
}

/** How many connections of this role are encrypted, and how many not. */
export async function encryption(vault: TestVault, role: string): Promise<{ encrypted: boolean }[]> {
  const client = new Client({ connectionString: vault.stack.databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ encrypted: boolean }>(
    'select distinct ssl as encrypted from pg_stat_ssl join pg_stat_activity using (pid) where usename = $1',
    [role],
  )
  await client.end()
  return rows
}

/** The vault's OpenBao started again, with TLS listeners of its own beside the one it had. */
export async function startOpenBaoTls(vault: TestVault, certificates: Certificates): Promise<Addresses> {
  const place = placeOf(vault.stack.directory, 'openbao')
  const record = readRecord(place)
  if (record === undefined) throw new Error('there is no OpenBao')
  const config = JSON.parse(await readFile(join(place.folder, 'openbao.json'), 'utf8')) as { listener: object[] }
  const addresses = await forEachKind(async (kind) => {
    const [address, cluster] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
    const { cert, key } = certificates[kind]
    config.listener.push({ tcp: { address, cluster_address: cluster, tls_cert_file: cert, tls_key_file: key } })
    return `https://${address}`
  })
  await writeFile(join(place.folder, 'tls.json'), JSON.stringify(config), { mode: 0o600 })
  await stopService(vault.stack.directory, 'openbao')
  const { file } = await openbao.findOnPath().catch(() => openbao.findPackaged(() => undefined))
  await startProgram(vault, file, ['server', '-config=tls.json'], place.folder)
  await until('OpenBao is unsealed', () => openbao.ready(record, () => undefined))
  return addresses
}

/** One OPA for each certificate, with the vault's policy. */
export function startOpaTls(vault: TestVault, certificates: Certificates, rego: string): Promise<Addresses> {
  return forEachKind(async (kind) => {
    const port = await freePort()
    const { cert, key } = certificates[kind]
    const tls = ['--tls-cert-file', cert, '--tls-private-key-file', key]
    const files = [rego, join(vault.policyDirectory, 'data.json')]
    await startProgram(vault, 'opa', ['run', '--server', '--addr', `127.0.0.1:${port}`, ...tls, ...files])
    await until('OPA listens', () => speaksTls(port))
    return `https://127.0.0.1:${port}`
  })
}

async function speaksTls(port: number): Promise<boolean> {
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  return once(socket, 'secureConnect')
    .then(
      () => true,
      () => false,
    )
    .finally(() => socket.destroy())
}

/** Ends with the vault. */
async function startProgram(vault: TestVault, file: string, args: readonly string[], cwd?: string): Promise<void> {
  const child = spawn(file, args, { stdio: 'ignore', ...(cwd === undefined ? {} : { cwd }) })
  const exited = once(child, 'exit')
  await once(child, 'spawn')
  vault.onClose(async () => {
    child.kill('SIGKILL')
    await exited
  })
}
