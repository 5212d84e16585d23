import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { Server } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { UserError } from '../../../shared/errors/user-error.ts'
import { isRunning, stopRun } from '../../../stack/running.ts'
import type { Service } from '../../../stack/service.ts'
import { valkey } from '../../../stack/services/valkey.ts'
import { ensureRunning } from '../../../stack/start.ts'
import type { Place } from '../../../stack/state.ts'
import { placeOf, readRecord } from '../../../stack/state.ts'

const ignored = () => {}
let directory: string
let place: Place

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'stack-start-'))
  place = placeOf(directory, 'valkey')
  // No Docker, whatever the machine has; sh is called by its full path.
  vi.stubEnv('PATH', '/bin/no-docker')
})

afterEach(async () => {
  vi.unstubAllEnvs()
  const run = readRecord(place)?.run
  if (run) await stopRun(run, 'SIGTERM')
  await rm(directory, { recursive: true })
})

/** Valkey, but for what the test changes. Its program is looked up before PATH is emptied. */
function serviceWith(changes: Partial<Service>): Service {
  const none = async () => {
    throw new Error('not here')
  }
  return { ...valkey, findOnPath: none, findPackaged: none, ...changes }
}

async function packaged(): Promise<Awaited<ReturnType<Service['findPackaged']>>> {
  vi.unstubAllEnvs()
  const binary = await valkey.findPackaged(ignored)
  vi.stubEnv('PATH', '/bin/no-docker')
  return binary
}

test('where nothing serves, the error tells what was tried, why each failed, and the three ways out', async () => {
  const error = await ensureRunning(serviceWith({}), place, ignored).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UserError)
  const { message } = error as UserError
  for (const tried of ['on PATH: not here', 'Docker: no `docker` on PATH', 'packaged: not here']) {
    expect(message).toContain(tried)
  }
  for (const way of ['1. set STACK_QUEUE_URL', '2. install Valkey', '3. start a Docker engine']) {
    expect(message).toContain(way)
  }
})

test('a source that does not serve gives way to the next', async () => {
  const binary = await packaged()
  const service = serviceWith({
    findOnPath: async () => ({ source: 'path', file: '/bin/false', version: '9' }),
    findPackaged: async () => binary,
  })
  await expect(ensureRunning(service, place, ignored)).resolves.toEqual({ started: true })
  expect(readRecord(place)).toMatchObject({ madeBy: { source: 'packaged' }, run: { source: 'packaged' } })
})

test("the error of a server that ends while it starts shows its log's end, without secrets, and nothing is left running", async () => {
  const service = serviceWith({
    findPackaged: async () => ({ source: 'packaged', file: '/bin/sh', version: '9' }),
    prepare: async (_place, record) => ({
      file: '/bin/sh',
      args: ['-c', `echo "bad line: requirepass ${record.password}"; exit 3`],
    }),
  })
  await expect(ensureRunning(service, place, ignored)).rejects.toThrow(/bad line: requirepass \[secret\]/)
  expect(readRecord(place)?.run).toBeUndefined()
})

test('a port that somebody takes between the choice and the start costs another try, not the start', async () => {
  const binary = await packaged()
  const squatters: Server[] = []
  const service = serviceWith({
    findPackaged: async () => binary,
    prepare: async (at, record, with_, progress) => {
      if (squatters.length < 3) {
        const squatter = createServer().listen(record.ports[0], '127.0.0.1')
        await once(squatter, 'listening')
        squatters.push(squatter)
      }
      return valkey.prepare(at, record, with_, progress)
    },
  })
  await ensureRunning(service, place, ignored)
  const record = readRecord(place)
  expect(squatters).toHaveLength(3)
  expect(record?.run && (await isRunning(record.run))).toBe(true)
  for (const squatter of squatters) squatter.close()
})

test('data is not handed to a version that cannot read it', async () => {
  const binary = await packaged()
  await ensureRunning(serviceWith({ findPackaged: async () => binary }), place, ignored)
  const { run } = readRecord(place) ?? {}
  if (run) await stopRun(run, 'SIGTERM')
  const older = serviceWith({ findOnPath: async () => ({ source: 'path', file: '/bin/false', version: '7.0.15' }) })
  const error = await ensureRunning(older, place, ignored).catch((reason: unknown) => reason)
  expect((error as Error).message).toMatch(/is 7\.0\.15; the data was made by 9\.1/)
  expect((error as Error).message).toContain('stack wipe')
  // The data waits for the version that made it.
  await expect(ensureRunning(serviceWith({ findPackaged: async () => binary }), place, ignored)).resolves.toBeDefined()
})
