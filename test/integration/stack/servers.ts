import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createConnection, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import pg from 'pg'
import { request } from 'undici'
import { afterAll, beforeAll, expect } from 'vitest'
import type { ServiceName, Stack } from '../../../stack/index.ts'
import { placeOf, readRecord } from '../../../stack/state.ts'
import { reapWithThisProcess } from '../../harness/reap.ts'

export const names: ServiceName[] = ['postgres', 'valkey', 'openbao']

/** Directories for stacks, none of which is there yet. After all tests of the file: the stacks are wiped, and they are gone. */
export function useDirectories(): { parent: string; newDirectory: () => string } {
  const parent = join(tmpdir(), `pii-vault-stacks-${randomUUID()}`)
  let count = 0
  let remove: (() => Promise<void>) | undefined
  beforeAll(async () => {
    await mkdir(parent, { mode: 0o700 })
    remove = await reapWithThisProcess(parent)
  })
  afterAll(() => remove?.())
  return { parent, newDirectory: () => join(parent, `stack-${count++}`) }
}

export async function query(stack: Stack, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: stack.addresses.databaseUrl })
  await client.connect()
  try {
    return (await client.query(sql, values)).rows
  } finally {
    await client.end()
  }
}

export function valkey<T>(stack: Stack, task: (client: Redis) => Promise<T>): Promise<T> {
  return valkeyAt(stack.addresses.queueUrl, task)
}

export async function valkeyAt<T>(url: string, task: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { lazyConnect: true, enableReadyCheck: false, retryStrategy: () => null })
  client.on('error', () => {})
  try {
    await client.connect()
    return await task(client)
  } finally {
    client.disconnect()
  }
}

export async function transit(stack: Stack, method: 'GET' | 'PUT', path: string, body?: object) {
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
export async function leave(stack: Stack, mark: string): Promise<void> {
  await query(stack, 'create table if not exists mark (name text primary key)')
  await query(stack, 'insert into mark values ($1)', [mark])
  await valkey(stack, (client) => client.set(`mark-${mark}`, mark))
  const name = mark.replaceAll(' ', '-')
  await transit(stack, 'PUT', `transit/keys/${name}`, {})
  const { body } = await transit(stack, 'PUT', `transit/encrypt/${name}`, { plaintext })
  sealed.set(mark, body.data?.['ciphertext'] ?? '')
}

export async function expectLeft(stack: Stack, mark: string): Promise<void> {
  expect(await query(stack, 'select name from mark where name = $1', [mark])).toEqual([{ name: mark }])
  expect(await valkey(stack, (client) => client.get(`mark-${mark}`))).toBe(mark)
  const name = mark.replaceAll(' ', '-')
  const { body } = await transit(stack, 'PUT', `transit/decrypt/${name}`, { ciphertext: sealed.get(mark) })
  expect(body.data?.['plaintext']).toBe(plaintext)
}

export function recordOf(directory: string, name: ServiceName) {
  const record = readRecord(placeOf(directory, name))
  if (!record) throw new Error(`no state of ${name}`)
  return record
}

export function secretsOf(directory: string): string[] {
  return names.flatMap((name) => {
    const { password, keys } = recordOf(directory, name)
    return keys ? [password, keys.unsealKey, keys.rootToken] : [password]
  })
}

export function connects(host: string, port: number): Promise<boolean> {
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

export async function squat(port: number) {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** An ended process that its parent has not fetched yet still has a line, of state Z. */
export async function isGone(pid: number): Promise<boolean> {
  const state = await ps('stat', pid)
  return state === '' || state.startsWith('Z')
}

export async function ps(column: string, pid: number): Promise<string> {
  const answer = promisify(execFile)('ps', ['-ww', '-o', `${column}=`, '-p', String(pid)])
  return (await answer.catch(() => ({ stdout: '' }))).stdout.trim()
}
