import { execFile } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import { exitCodes } from '../../../shared/errors/user-error.ts'
import { stackStatus, startStack, stopService, wipeStack } from '../../../stack/index.ts'
import { isGone, names, transit, useDirectories } from './servers.ts'

/* Wiping a stack, and leaving alone what is not its own. */

const { parent, newDirectory } = useDirectories()

afterEach(() => {
  vi.unstubAllEnvs()
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
  vi.stubEnv('STACK_QUEUE_URL', 'no url')
  await expect(startStack({ directory: ours }), 'both are said').rejects.toMatchObject({
    message: expect.stringMatching(/STACK_QUEUE_URL is not a URL[\s\S]*STACK_TRANSIT_TOKEN has to be set/),
    exitCode: exitCodes.usage,
  })
  vi.stubEnv('STACK_QUEUE_URL', their.addresses.queueUrl)
  vi.stubEnv('STACK_TRANSIT_TOKEN', their.transitRootToken.reveal())
  const our = await startStack({ directory: ours })
  expect(our.addresses).toEqual(their.addresses)
  expect((await stackStatus(ours)).services).toMatchObject(
    names.map((service) => ({ service, source: 'url', running: true })),
  )
  await wipeStack(ours)
  expect((await stackStatus(theirs)).stack).toBeDefined()
  await stopService(theirs, 'valkey')
  await expect(startStack({ directory: ours })).rejects.toMatchObject({
    message: expect.stringMatching(/Valkey at 127.0.0.1:\d+, from STACK_QUEUE_URL, does not answer/),
    exitCode: exitCodes.failed,
  })
})
