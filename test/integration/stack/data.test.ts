import { rename } from 'node:fs/promises'
import { beforeAll, expect, test } from 'vitest'
import type { Stack } from '../../../stack/index.ts'
import { signalService, stackStatus, startService, startStack, stopService, stopStack } from '../../../stack/index.ts'
import { expectLeft, leave, names, recordOf, squat, transit, useDirectories, valkey } from './servers.ts'

/* Nothing is lost, whatever becomes of the servers, their ports or their directory. */

const { newDirectory } = useDirectories()
const directory = newDirectory()
let stack: Stack

beforeAll(async () => {
  stack = await startStack({ directory })
  await transit(stack, 'PUT', 'sys/mounts/transit', { type: 'transit' })
})

test('a stack keeps its data and addresses when it is stopped and started', async () => {
  await leave(stack, 'stopped')
  await stopStack(directory)
  expect((await stackStatus(directory)).services.map(({ running }) => running)).toEqual([false, false, false])
  expect((await stackStatus(directory)).stack).toBeUndefined()
  const again = await startStack({ directory })
  expect(again.addresses).toEqual(stack.addresses)
  await expectLeft(again, 'stopped')
})

test.each(names)('a stack loses nothing when %s is killed and started again', async (name) => {
  await leave(stack, name)
  // What Valkey has acknowledged is on disk within a second: appendfsync everysec. A killed process loses nothing of it.
  await stopService(directory, name, 'SIGKILL')
  expect((await stackStatus(directory)).services.filter(({ running }) => !running)).toMatchObject([{ service: name }])
  await startService(directory, name)
  const after = await stackStatus(directory)
  expect(after.stack?.addresses).toEqual(stack.addresses)
  await expectLeft(stack, name)
})

test('a stack loses nothing when all of it is killed at once', async () => {
  await leave(stack, 'all')
  await Promise.all(names.map((name) => signalService(directory, name, 'SIGKILL')))
  await startStack({ directory })
  await expectLeft(stack, 'all')
})

test('a server that hangs is ended all the same', async () => {
  await signalService(directory, 'valkey', 'SIGSTOP')
  await stopService(directory, 'valkey')
  await startService(directory, 'valkey')
  expect(await valkey(stack, (client) => client.ping())).toBe('PONG')
})

test('a stack whose ports were taken meanwhile starts on others, with its data', async () => {
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

test('a stack whose directory was moved is found there with its data', async () => {
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
