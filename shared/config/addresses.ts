import { isServerAddress, parseServerAddress, serverAddressForm } from '../policy/location.ts'
import type { EnvironmentReader } from './reader.ts'
import { isReadable } from './reader.ts'

/*
 * Addresses of servers. Beyond loopback only TLS with a verified certificate, unless ALLOW_PLAINTEXT names the variable:
 * PII, tokens of OpenBao and passwords travel there. URLs hold passwords, so a message never quotes one.
 */

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export function readQueueUrl(reader: EnvironmentReader): string {
  const url = readUrl(
    reader,
    ['QUEUE_URL'],
    ['redis:', 'rediss:'],
    'the Redis or Valkey server, as redis(s)://user:password@host:port',
  )
  if (url === undefined) return ''
  // For ioredis every parameter is an option, and `tls` more than the scheme.
  if (url.searchParams.has('tls')) reader.problem('QUEUE_URL must ask for TLS by rediss:, not by a parameter')
  return requireTls(reader, 'QUEUE_URL', url, url.protocol === 'rediss:', 'rediss:')
}

export function readDatabaseUrl(reader: EnvironmentReader): string {
  const url = readUrl(
    reader,
    ['DATABASE_URL'],
    ['postgres:', 'postgresql:'],
    'the Postgres server, as postgres://user:password@host:port/database',
  )
  if (url === undefined) return ''
  // For pg the last of a parameter counts, and `host` more than the host.
  if (url.searchParams.has('host'))
    reader.problem('DATABASE_URL must name its host before the path, not as a parameter')
  const authority = url.searchParams.getAll('sslrootcert').at(-1)
  if (authority !== undefined && !isReadable(authority))
    reader.problem('DATABASE_URL names in `sslrootcert` no file that can be read')
  const verified = url.searchParams.getAll('sslmode').at(-1) === 'verify-full'
  return requireTls(reader, 'DATABASE_URL', url, verified, 'sslmode=verify-full')
}

export function readTransitAddress(reader: EnvironmentReader): string {
  const names = ['TRANSIT_ADDR', 'BAO_ADDR', 'VAULT_ADDR']
  const url = readUrl(reader, names, ['http:', 'https:'], 'the OpenBao server, as https://host:port')
  if (url === undefined) return ''
  requireTls(reader, 'TRANSIT_ADDR', url, url.protocol === 'https:', 'https:')
  if (url.href !== `${url.origin}/`) reader.problem('TRANSIT_ADDR must end after the port: no user, path or query')
  return url.origin
}

export interface PolicyLocation {
  /** A bundle's path, or the address of an OPA server. */
  readonly location: string
  readonly publicKeyFile: string | undefined
}

export function readPolicyLocation(reader: EnvironmentReader): PolicyLocation {
  const meaning = 'the policy: a bundle (file or directory), or the http(s) address of an OPA server'
  const location = reader.required('POLICY', meaning)
  const publicKeyFile = reader.file('POLICY_PUBLIC_KEY_FILE')
  if (isServerAddress(location)) checkPolicyServer(reader, location, publicKeyFile)
  else reader.readable('POLICY')
  return { location, publicKeyFile }
}

/** Whoever can answer in its place decides who sees what. */
function checkPolicyServer(reader: EnvironmentReader, location: string, publicKeyFile: string | undefined): void {
  const url = parseServerAddress(location)
  if (url === undefined) reader.problem(`POLICY is no usable address: it must be ${serverAddressForm}`)
  else requireTls(reader, 'POLICY', url, url.protocol === 'https:', 'https:')
  if (publicKeyFile !== undefined)
    reader.problem('POLICY_PUBLIC_KEY_FILE is for bundles: an OPA server verifies those that it serves itself')
}

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** `host:port` to listen on, such as `127.0.0.1:9464` or `[::]:9464`, if it is set. */
export function readListenAddress(reader: EnvironmentReader, name: string): ListenAddress | undefined {
  const text = reader.optional(name)
  if (text === undefined) return undefined
  const [, host, port] = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9.-]+):([0-9]{1,5})$/.exec(text) ?? []
  if (host === undefined || Number(port) > 65_535) reader.problem(`${name} must be host:port, such as 127.0.0.1:9464`)
  return { host: (host ?? '').replace(/^\[|\]$/g, ''), port: Number(port) }
}

/** Where a server is, for a message: never the whole URL, which may hold a password. */
export const hostOf = (url: string): string => URL.parse(url)?.host || 'its address'

/** Switches that turn verification off, wherever they come from. */
export function refuseUnverifiedTls(reader: EnvironmentReader): void {
  if (reader.optional('NODE_TLS_REJECT_UNAUTHORIZED') === '0') {
    reader.problem('NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the verification of certificates: unset it')
  }
  for (const name of ['BAO_SKIP_VERIFY', 'VAULT_SKIP_VERIFY']) {
    if (/^(1|t|true)$/i.test(reader.optional(name) ?? '')) {
      reader.problem(
        `${name} asks not to verify certificates, which is refused: unset it, and name the authority in BAO_CACERT`,
      )
    }
  }
}

function readUrl(reader: EnvironmentReader, names: string[], protocols: string[], meaning: string): URL | undefined {
  const text = reader.required(names, meaning)
  if (text === '') return undefined
  const url = URL.parse(text)
  if (url !== null && protocols.includes(url.protocol) && url.hostname !== '') return url
  reader.problem(`${names[0]} is no usable address: it must be ${meaning}`)
  return undefined
}

function requireTls(reader: EnvironmentReader, name: string, url: URL, secure: boolean, how: string): string {
  const allowed = (reader.optional('ALLOW_PLAINTEXT') ?? '').split(',').map((entry) => entry.trim())
  if (!secure && !loopback.test(url.hostname) && !allowed.includes(name)) {
    reader.problem(
      `${name} leads beyond this machine without verified TLS: use ${how}, or say ALLOW_PLAINTEXT=${name} if that network is trusted`,
    )
  }
  return url.href
}
