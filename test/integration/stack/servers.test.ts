import { readdirSync, statSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { beforeAll, expect, test } from 'vitest'
import type { Stack } from '../../../stack/index.ts'
import { stackStatus, startStack } from '../../../stack/index.ts'
import { connects, names, ps, query, secretsOf, transit, useDirectories, valkey, valkeyAt } from './servers.ts'

/* What a running stack is: empty, durable, and closed to everyone but its owner. */

const { newDirectory } = useDirectories()
const directory = newDirectory()
let stack: Stack

beforeAll(async () => {
  stack = await startStack({ directory })
  await transit(stack, 'PUT', 'sys/mounts/transit', { type: 'transit' })
})

test('a stack is an empty database, a queue server and an unsealed, active OpenBao, each behind its secret', async () => {
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

test('a stack is durable: fsync, append-only file, no eviction, OpenBao on disk with an audit device', async () => {
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

test('a stack is open to its owner only: directories 0700, files 0600, no secret on a command line', async () => {
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

test('a stack is reached over loopback only', async () => {
  const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
  const outside = others.filter(({ family, internal }) => family === 'IPv4' && !internal)
  for (const url of Object.values(stack.addresses)) {
    const port = Number(new URL(url).port)
    expect(await connects('127.0.0.1', port)).toBe(true)
    for (const { address } of outside) expect(await connects(address, port)).toBe(false)
  }
})

test('a stack that runs already is given back as it is', async () => {
  const before = await stackStatus(directory)
  const again = await startStack({ directory })
  expect(again.addresses).toEqual(stack.addresses)
  expect(await stackStatus(directory)).toEqual(before)
  expect(before.stack?.transitRootToken.reveal()).toBe(stack.transitRootToken.reveal())
})
