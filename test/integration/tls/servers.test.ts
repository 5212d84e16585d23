import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import type { CertificateKind, Certificates } from '../../harness/certificates.ts'
import { makeCertificates } from '../../harness/certificates.ts'
import type { Ended } from '../../harness/child.ts'
import { runCli } from '../../harness/child.ts'
import type { Addresses } from '../../harness/tls-servers.ts'
import {
  encryption,
  setPostgresCertificate,
  startOpaTls,
  startOpenBaoTls,
  startValkeyTls,
} from '../../harness/tls-servers.ts'
import { TestVault } from '../../harness/vault.ts'
import { spawnWorker, startWorker } from '../../harness/worker-process.ts'
import { environmentOf } from '../cli/use-cli.ts'
import { Workplace } from '../cli/workplace.ts'
import { describeWithOpa, source } from '../policy/opa.ts'

/* Every connection of workers, producers and operators over TLS, and what is said of a certificate that is not to be trusted. */

let vault: TestVault
let certificates: Certificates
let place: Workplace
let producer: Record<string, string>
let valkeyPorts: Addresses
let openbao: Addresses

beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pii-vault-tls-'))
  vault = await TestVault.openAlone()
  vault.onClose(() => rm(directory, { recursive: true, force: true }))
  certificates = await makeCertificates(directory)
  place = await Workplace.make()
  vault.onClose(() => place.remove())
  producer = await environmentOf(vault, await vault.actor(), place)
  valkeyPorts = await startValkeyTls(vault, certificates)
  openbao = await startOpenBaoTls(vault, certificates)
  await setPostgresCertificate(vault, certificates.good)
}, 120_000)
afterAll(() => vault?.close())

const trusting = () => ({ NODE_EXTRA_CA_CERTS: certificates.authority })

/** As this pool or actor, by the server that shows this certificate. */
function queueUrl(url: string, kind: CertificateKind): string {
  const secure = new URL(url)
  secure.port = valkeyPorts[kind]
  return secure.href.replace('redis:', 'rediss:')
}

const verifying = (url: string) => `${url}?sslmode=verify-full&sslrootcert=${certificates.authority}`

const queueOf = (queue: QueueName) => vault.environment(queue)['QUEUE_URL'] as string
const actorsQueue = () => (JSON.parse(place.text(`app-${vault.id}.json`)) as { queue_url: string }).queue_url

const workerWith = (changes: Record<string, string>): Promise<Ended> => spawnWorker(vault, 'detok', changes).ended
const detokWith = (changes: Record<string, string>): Promise<Ended> =>
  runCli(['detok', 'a.csv', '--fields', 'email', '--purpose', 'test'], {
    env: { ...producer, QUEUE_URL: actorsQueue(), ...changes },
    cwd: place.directory,
  })

const reasons = [
  ['expired', /\(CERT_HAS_EXPIRED\)\. It has expired: renew it/],
  ['other-name', /\(ERR_TLS_CERT_ALTNAME_INVALID\)\. It is for another name/],
  ['stranger', /\([A-Z_]+\)\. It is of an authority that is not trusted here: name that authority's file in/],
] as const

/** Says which server, which setting, and what is wrong. */
function expectRefused(ended: Ended, server: string, setting: string, reason: RegExp): void {
  expect(ended.stderr).toMatch(reason)
  expect(ended.stderr).toMatch(
    new RegExp(`${server} at \\S+ \\(${setting}\\) shows a certificate that is not accepted`),
  )
  expect(ended.stderr).not.toMatch(/secret|password@|-----BEGIN/)
  expect(ended.code).toBe(1)
}

describeWithOpa('with authorities that are trusted', () => {
  test('a file makes its way through workers and producer, with TLS to all four servers', async () => {
    const opa = await startOpaTls(vault, certificates, join(source, 'vault.rego'))
    for (const queue of queues) {
      const { DATABASE_URL = '' } = vault.environment(queue)
      await startWorker(vault, queue, {
        QUEUE_URL: queueUrl(queueOf(queue), 'good'),
        DATABASE_URL: verifying(DATABASE_URL),
        TRANSIT_ADDR: openbao.good,
        BAO_CACERT: certificates.authority,
        POLICY: opa.good,
        ...trusting(),
      })
      expect(await encryption(vault, `pii_vault_${queue}`)).toEqual([{ encrypted: true }])
    }
    await place.write('a.csv', 'email\nann@example.com\n')
    const env = {
      ...{ ...producer, ...trusting() },
      ...{ QUEUE_URL: queueUrl(actorsQueue(), 'good'), TRANSIT_ADDR: openbao.good, BAO_CACERT: certificates.authority },
    }
    const run = (...args: string[]) =>
      runCli([...args, '--fields', 'email', '--purpose', 'test'], { env, cwd: place.directory })
    expect(await run('tokenize', 'a.csv')).toMatchObject({ code: 0 })
    const back = await run('detok', 'a.tokenized.csv', '--out', '-')
    expect(back).toMatchObject({ code: 0, stdout: 'email\nann@example.com\n' })
  })

  test.each(reasons)('a worker does not start on an OPA whose certificate is %s', async (kind, reason) => {
    const opa = await startOpaTls(vault, certificates, join(source, 'vault.rego'))
    expectRefused(await workerWith({ POLICY: opa[kind], ...trusting() }), 'The policy', 'POLICY', reason)
  })
})

test('`setup` and `actor` work over TLS', async () => {
  const env = {
    DATABASE_URL: verifying(vault.stack.databaseUrl),
    QUEUE_URL: queueUrl(vault.stack.queueUrl, 'good'),
    QUEUE_PREFIX: vault.prefix,
    TRANSIT_ADDR: openbao.good,
    BAO_TOKEN: vault.stack.rootToken,
    ...trusting(),
  }
  expect(await runCli(['setup'], { env, cwd: place.directory })).toMatchObject({ code: 0 })
  const added = await runCli(['actor', 'add', 'tls', '--out', 'tls.json'], { env, cwd: place.directory })
  expect(added).toMatchObject({ code: 0 })
  expect(place.text('tls.json')).toContain(`rediss://pii-actor-tls:`)
})

describe.each(reasons)('a certificate that is %s', (kind, reason) => {
  beforeAll(async () => place.write('a.csv', 'email\nx\n'))

  test('of Valkey is refused by workers and producers', async () => {
    const changes = { ...trusting(), QUEUE_URL: queueUrl(queueOf('detok'), kind) }
    expectRefused(await workerWith(changes), 'Redis', 'QUEUE_URL', reason)
    const asked = { ...trusting(), QUEUE_URL: queueUrl(actorsQueue(), kind) }
    expectRefused(await detokWith(asked), 'Redis', 'QUEUE_URL', reason)
  })

  test('of OpenBao is refused by workers and producers', async () => {
    const changes = { TRANSIT_ADDR: openbao[kind], BAO_CACERT: certificates.authority }
    expectRefused(await workerWith(changes), 'OpenBao', 'TRANSIT_ADDR', reason)
    expectRefused(await detokWith(changes), 'OpenBao', 'TRANSIT_ADDR', reason)
  })

  test('of Postgres is refused by workers', async () => {
    await setPostgresCertificate(vault, certificates[kind])
    const { DATABASE_URL = '' } = vault.environment('detok')
    expectRefused(await workerWith({ DATABASE_URL: verifying(DATABASE_URL) }), 'Postgres', 'DATABASE_URL', reason)
  })

  test('of each server is refused by `setup`', async () => {
    await setPostgresCertificate(vault, certificates[kind])
    const { databaseUrl, transitAddr, queueUrl: queue, rootToken } = vault.stack
    const good = { DATABASE_URL: databaseUrl, TRANSIT_ADDR: transitAddr, BAO_TOKEN: rootToken, ...trusting() }
    const setup = (changes: Record<string, string>) => runCli(['setup'], { env: { ...good, ...changes } })
    expectRefused(await setup({ DATABASE_URL: verifying(databaseUrl) }), 'Postgres', 'DATABASE_URL', reason)
    expectRefused(await setup({ QUEUE_URL: queueUrl(queue, kind) }), 'Redis', 'QUEUE_URL', reason)
    const refused = await setup({ TRANSIT_ADDR: openbao[kind] })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) })
  })
})

describe('what was to be encrypted', () => {
  /** A server that speaks no TLS, and keeps what it is sent. */
  async function listen() {
    const received: Buffer[] = []
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      // What Postgres says to a request for TLS that it will not have, and anyone else's nonsense.
      socket.on('data', (chunk: Buffer) => {
        received.push(chunk)
        socket.write('N')
      })
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    vault.onClose(async () => server.close())
    return {
      port: String((server.address() as AddressInfo).port),
      sent: () => Buffer.concat(received).toString('latin1'),
    }
  }

  test.each([
    ['Redis', 'QUEUE_URL'],
    ['Postgres', 'DATABASE_URL'],
    ['OpenBao', 'TRANSIT_ADDR'],
  ])('never goes to %s in the clear, also where the server speaks nothing else', async (server, setting) => {
    const { port, sent } = await listen()
    const { DATABASE_URL = '', QUEUE_URL = '' } = vault.environment('detok')
    const at = (url: string) => Object.assign(new URL(url), { port }).href
    const urls: Record<string, string> = {
      QUEUE_URL: at(QUEUE_URL).replace('redis:', 'rediss:'),
      DATABASE_URL: verifying(at(DATABASE_URL)),
      TRANSIT_ADDR: `https://127.0.0.1:${port}`,
    }
    const ended = await workerWith({ [setting]: urls[setting] as string })
    expect(ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(`${server} at 127.0.0.1:${port} \\(${setting}\\)`),
    })
    expect(sent(), 'it was asked').not.toBe('')
    for (const word of ['AUTH', 'pii', 'role_id', 'HTTP', new URL(QUEUE_URL).password])
      expect(sent()).not.toContain(word)
  })
})
