import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import { request } from 'undici'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type ServiceName,
  type Stack,
  signalService,
  stackStatus,
  startService,
  startStack,
  stopService,
  stopStack,
  wipeStack,
} from '../../stack/index.ts'
import { placeOf, readRecord, writeRecord } from '../../stack/state.ts'

const names: ServiceName[] = ['postgres', 'valkey', 'openbao']
const parent = mkdtempSync(join(tmpdir(), 'stack-test-'))
const used: string[] = []

function newDirectory(): string {
  const directory = join(parent, `stack-${used.length}`)
  used.push(directory)
  return directory
}

afterEach(() => {
  vi.unstubAllEnvs()
})

afterAll(async () => {
  await Promise.all(used.map((directory) => wipeStack(directory)))
  await rm(parent, { recursive: true })
})

describe('a stack', () => {
  const directory = newDirectory()
  let stack: Stack

  beforeAll(async () => {
    stack = await startStack({ directory })
    await transit(stack, 'PUT', 'sys/mounts/transit', { type: 'transit' })
  })

  test('is an empty database, a queue server and an unsealed, active OpenBao, each behind its secret', async () => {
    expect(
      await query(
        stack,
        "select current_database() as name, pg_encoding_to_char(encoding) as encoding from pg_database where datname = 'pii_vault'",
      ),
    ).toEqual([{ name: 'pii_vault', encoding: 'UTF8' }])
    expect(await query(stack, "select count(*)::int as tables from pg_tables where schemaname = 'public'")).toEqual([
      { tables: 0 },
    ])
    const wrong = new URL(stack.addresses.databaseUrl)
    wrong.password = 'wrong'
    await expect(
      query({ ...stack, addresses: { ...stack.addresses, databaseUrl: wrong.href } }, 'select 1'),
    ).rejects.toThrow(/password/)
    expect(await valkey(stack, (client) => client.ping())).toBe('PONG')
    const url = new URL(stack.addresses.queueUrl)
    await expect(valkeyAt(`redis://${url.host}`, (client) => client.get('x'))).rejects.toThrow(/NOAUTH/)
    expect((await transit(stack, 'GET', 'sys/health')).status).toBe(200)
    expect((await request(new URL('/v1/sys/mounts', stack.addresses.transitAddr))).statusCode).toBe(403)
  })

  test('is durable: fsync, append-only file, no eviction, OpenBao on disk with an audit device', async () => {
    expect(
      await query(
        stack,
        "select name, setting from pg_settings where name in ('fsync', 'synchronous_commit') order by name",
      ),
    ).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'synchronous_commit', setting: 'on' },
    ])
    const config = await valkey(stack, (client) => client.config('GET', 'append*'))
    expect(config).toEqual(expect.arrayContaining(['appendonly', 'yes', 'appendfsync', 'everysec']))
    expect(await valkey(stack, (client) => client.config('GET', 'maxmemory-policy'))).toEqual([
      'maxmemory-policy',
      'noeviction',
    ])
    const status = await transit(stack, 'GET', 'sys/seal-status')
    expect(status.body).toMatchObject({ storage_type: 'raft', sealed: false })
    expect((await transit(stack, 'GET', 'sys/audit')).body).toMatchObject({ data: { 'file/': { type: 'file' } } })
  })

  test('is open to its owner only: directories 0700, files 0600, no secret on a command line', async () => {
    for (const path of [directory, ...names.map((name) => join(directory, name))]) {
      expect(statSync(path).mode & 0o777).toBe(0o700)
      for (const entry of readdirSync(path, { withFileTypes: true })) {
        if (entry.isFile())
          expect([entry.name, statSync(join(path, entry.name)).mode & 0o777]).toEqual([entry.name, 0o600])
      }
    }
    for (const { pid } of (await stackStatus(directory)).services) {
      const commandLine = await ps('args', pid as number)
      expect(commandLine).not.toBe('')
      for (const secret of secretsOf(directory)) expect(commandLine).not.toContain(secret)
    }
  })

  test('is reached over loopback only', async () => {
    const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    const outside = others.filter(({ family, internal }) => family === 'IPv4' && !internal)
    for (const url of Object.values(stack.addresses)) {
      const port = Number(new URL(url).port)
      expect(await connects('127.0.0.1', port)).toBe(true)
      for (const { address } of outside) expect(await connects(address, port)).toBe(false)
    }
  })

  test('that runs already is given back as it is', async () => {
    const before = await stackStatus(directory)
    const again = await startStack({ directory })
    expect(again.addresses).toEqual(stack.addresses)
    expect(await stackStatus(directory)).toEqual(before)
    expect(before.stack?.transitRootToken.reveal()).toBe(stack.transitRootToken.reveal())
  })

  test('keeps its data and addresses when it is stopped and started', async () => {
    await leave(stack, 'stopped')
    await stopStack(directory)
    expect((await stackStatus(directory)).services.map(({ running }) => running)).toEqual([false, false, false])
    expect((await stackStatus(directory)).stack).toBeUndefined()
    const again = await startStack({ directory })
    expect(again.addresses).toEqual(stack.addresses)
    await expectLeft(again, 'stopped')
  })

  test.each(names)('loses nothing when %s is killed and started again', async (name) => {
    await leave(stack, name)
    // What Valkey has acknowledged is on disk within a second: appendfsync everysec. A killed process loses nothing of it.
    await stopService(directory, name, 'SIGKILL')
    expect((await stackStatus(directory)).services.filter(({ running }) => !running)).toMatchObject([{ service: name }])
    await startService(directory, name)
    const after = await stackStatus(directory)
    expect(after.stack?.addresses).toEqual(stack.addresses)
    await expectLeft(stack, name)
  })

  test('loses nothing when all of it is killed at once', async () => {
    await leave(stack, 'all')
    await Promise.all(names.map((name) => signalService(directory, name, 'SIGKILL')))
    await startStack({ directory })
    await expectLeft(stack, 'all')
  })

  test('that hangs is ended all the same', async () => {
    await signalService(directory, 'valkey', 'SIGSTOP')
    await stopService(directory, 'valkey')
    await startService(directory, 'valkey')
    expect(await valkey(stack, (client) => client.ping())).toBe('PONG')
  })

  test('whose ports were taken meanwhile starts on others, with its data', async () => {
    await leave(stack, 'moved')
    await stopStack(directory)
    const taken = names.flatMap((name) => recordOf(directory, name).ports)
    const squatters = await Promise.all(taken.map(squat))
    const moved = await startStack({ directory })
    const ports = names.flatMap((name) => recordOf(directory, name).ports)
    expect(ports.filter((port) => taken.includes(port))).toEqual([])
    await expectLeft(moved, 'moved')
    await Promise.all(squatters.map((server) => new Promise((resolve) => server.close(resolve))))
    stack = moved
  })

  test('whose directory was moved is found there with its data', async () => {
    await leave(stack, 'elsewhere')
    await stopStack(directory)
    const elsewhere = newDirectory()
    await rename(directory, elsewhere)
    const found = await startStack({ directory: elsewhere })
    await expectLeft(found, 'elsewhere')
    await stopStack(elsewhere)
    await rename(elsewhere, directory)
    stack = await startStack({ directory })
  })

  test('never signals a process that merely got the pid of one of its servers', async () => {
    await stopService(directory, 'valkey')
    const bystander = spawn('sleep', ['60'])
    await once(bystander, 'spawn')
    const place = placeOf(directory, 'valkey')
    const record = recordOf(directory, 'valkey')
    writeRecord(place, { ...record, run: { source: 'packaged', pid: bystander.pid as number, start: 'another time' } })
    expect((await stackStatus(directory)).services.find(({ service }) => service === 'valkey')?.running).toBe(false)
    await stopService(directory, 'valkey')
    expect(bystander.exitCode).toBeNull()
    expect(bystander.signalCode).toBeNull()
    await startStack({ directory })
    expect(bystander.signalCode).toBeNull()
    bystander.kill()
    await once(bystander, 'exit')
  })
})

test('several processes that start one stack at the same time start one set of servers', async () => {
  const directory = newDirectory()
  const script = `
    import { startStack, stackStatus } from '${new URL('../../stack/index.ts', import.meta.url)}'
    await startStack({ directory: process.argv[1] })
    console.log(JSON.stringify((await stackStatus(process.argv[1])).services.map(({ pid }) => pid)))`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script, directory])
  const answers = await Promise.all([start(), start(), start()])
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1)
  // The servers outlive the processes that started them.
  expect((await stackStatus(directory)).stack).toBeDefined()
})

test('a start that is killed half way leaves nothing that the next start cannot use', async () => {
  const directory = newDirectory()
  const script = `
    import { startStack } from '${new URL('../../stack/index.ts', import.meta.url)}'
    await startStack({ directory: process.argv[1], onProgress: () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(process.argv[2])) })`
  for (const afterMs of [50, 300, 900]) {
    const start = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, directory, String(afterMs)])
    await once(start, 'exit')
  }
  const stack = await startStack({ directory })
  await transit(stack, 'PUT', 'sys/mounts/transit', { type: 'transit' })
  await leave(stack, 'after all')
  await expectLeft(stack, 'after all')
})

test('wiping stops the servers and removes the directory; a stack made there again is a new one', async () => {
  const directory = newDirectory()
  const first = await startStack({ directory })
  const pids = (await stackStatus(directory)).services.map(({ pid }) => pid as number)
  await wipeStack(directory)
  expect(existsSync(directory)).toBe(false)
  for (const pid of pids) expect(await isGone(pid)).toBe(true)
  await wipeStack(directory)
  const second = await startStack({ directory })
  expect(second.addresses.databaseUrl).not.toBe(first.addresses.databaseUrl)
  expect((await transit(second, 'GET', 'sys/mounts')).body).not.toHaveProperty('data.transit/')
})

test('a directory of other files is neither used nor wiped', async () => {
  const directory = join(parent, 'home')
  await promisify(execFile)('mkdir', [directory])
  writeFileSync(join(directory, 'letter.txt'), 'dear')
  await expect(startStack({ directory })).rejects.toThrow(/holds other files/)
  await expect(wipeStack(directory)).rejects.toThrow(/not the directory of a stack/)
  expect(readdirSync(directory)).toEqual(['letter.txt'])
})

test('servers of the user are used by their URLs, and are left alone', async () => {
  const [theirs, ours] = [newDirectory(), newDirectory()]
  const their = await startStack({ directory: theirs })
  vi.stubEnv('STACK_DATABASE_URL', their.addresses.databaseUrl)
  vi.stubEnv('STACK_QUEUE_URL', their.addresses.queueUrl)
  vi.stubEnv('STACK_TRANSIT_ADDR', their.addresses.transitAddr)
  await expect(startStack({ directory: ours })).rejects.toThrow(/STACK_TRANSIT_TOKEN has to be set/)
  vi.stubEnv('STACK_TRANSIT_TOKEN', their.transitRootToken.reveal())
  const our = await startStack({ directory: ours })
  expect(our.addresses).toEqual(their.addresses)
  expect((await stackStatus(ours)).services).toMatchObject(
    names.map((service) => ({ service, source: 'url', running: true })),
  )
  await wipeStack(ours)
  expect((await stackStatus(theirs)).stack).toBeDefined()
  await stopService(theirs, 'valkey')
  await expect(startStack({ directory: ours })).rejects.toThrow(
    /Valkey at 127.0.0.1:\d+, from STACK_QUEUE_URL, does not answer/,
  )
})

async function query(stack: Stack, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: stack.addresses.databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

function valkey<T>(stack: Stack, task: (client: Redis) => Promise<T>): Promise<T> {
  return valkeyAt(stack.addresses.queueUrl, task)
}

async function valkeyAt<T>(url: string, task: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await task(client)
  } finally {
    client.disconnect()
  }
}

async function transit(stack: Stack, method: 'GET' | 'PUT', path: string, body?: object) {
  const response = await request(new URL(`/v1/${path}`, stack.addresses.transitAddr), {
    method,
    headers: { 'x-vault-token': stack.transitRootToken.reveal() },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.body.text()
  return { status: response.statusCode, body: (text ? JSON.parse(text) : {}) as { data?: Record<string, string> } }
}

const plaintext = Buffer.from('something').toString('base64')
const sealed = new Map<string, string>()

/** A row, a key, and something encrypted by a Transit key. */
async function leave(stack: Stack, mark: string): Promise<void> {
  await query(stack, 'create table if not exists mark (name text primary key)')
  await query(stack, 'insert into mark values ($1)', [mark])
  await valkey(stack, (client) => client.set(`mark-${mark}`, mark))
  const name = mark.replaceAll(' ', '-')
  await transit(stack, 'PUT', `transit/keys/${name}`, {})
  const { body } = await transit(stack, 'PUT', `transit/encrypt/${name}`, { plaintext })
  sealed.set(mark, body.data?.['ciphertext'] ?? '')
}

async function expectLeft(stack: Stack, mark: string): Promise<void> {
  expect(await query(stack, 'select name from mark where name = $1', [mark])).toEqual([{ name: mark }])
  expect(await valkey(stack, (client) => client.get(`mark-${mark}`))).toBe(mark)
  const name = mark.replaceAll(' ', '-')
  const { body } = await transit(stack, 'PUT', `transit/decrypt/${name}`, { ciphertext: sealed.get(mark) })
  expect(body.data?.['plaintext']).toBe(plaintext)
}

function recordOf(directory: string, name: ServiceName) {
  const record = readRecord(placeOf(directory, name))
  if (!record) throw new Error(`no state of ${name}`)
  return record
}

function secretsOf(directory: string): string[] {
  return names.flatMap((name) => {
    const { password, keys } = recordOf(directory, name)
    return keys ? [password, keys.unsealKey, keys.rootToken] : [password]
  })
}

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, timeout: 2_000 })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
}

async function squat(port: number) {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** An ended process that its parent has not fetched yet still has a line, of state Z. */
async function isGone(pid: number): Promise<boolean> {
  const state = await ps('stat', pid)
  return state === '' || state.startsWith('Z')
}

async function ps(column: string, pid: number): Promise<string> {
  const answer = promisify(execFile)('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)])
  return (await answer.catch(() => ({ stdout: '' }))).stdout.trim()
}
