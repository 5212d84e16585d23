import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { expireLocks } from '../harness/worker-process.ts'
import { findings } from './harness/findings.ts'
import { Fleet, queues } from './harness/fleet.ts'

let fleet: Fleet
let directory: string
/** Kubernetes' own, unless told otherwise. */
const graceMs = 30_000

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 1, loads: 8 })
  directory = await mkdtemp(join(tmpdir(), 'pii-vault-faults-'))
})
afterEach(() => fleet.mend())
afterAll(async () => {
  await fleet?.close()
  await rm(directory, { recursive: true, force: true })
})

async function leaveInTime(process: Awaited<ReturnType<Fleet['add']>>): Promise<void> {
  const since = Date.now()
  expect(await fleet.end(process, 'SIGTERM')).toBe(0)
  expect(Date.now() - since).toBeLessThan(graceMs)
}

test('replicas replaced one after the other under load, by SIGTERM: nothing waits for a lock to end, nothing is lost', async () => {
  const load = await fleet.load()
  for (const { queue, process } of [...fleet.living]) {
    await load.more(12)
    await fleet.add(queue)
    await leaveInTime(process)
    expect(await expireLocks(fleet.vault, queue, process.pid), 'jobs that it left behind').toBe(0)
  }
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
})

test.each(['postgres', 'transit', 'redis'] as const)(
  'SIGTERM under load while %s is unreachable: it leaves in time, and nothing is lost',
  async (server) => {
    const load = await fleet.load()
    await load.more(12)
    await fleet.proxies[server].cut()
    const leaving = [...fleet.living]
    await Promise.all(leaving.map(({ process }) => leaveInTime(process)))
    await fleet.mend()
    for (const queue of queues) await fleet.add(queue)
    for (const { queue, process } of leaving) await expireLocks(fleet.vault, queue, process.pid)
    await load.more(12)
    expect(await findings(fleet, load)).toEqual([])
  },
)

test('SIGKILL of one replica after the other under load: nothing is lost', async () => {
  const load = await fleet.load()
  for (const { queue, process } of [...fleet.living]) {
    await load.more(12)
    await fleet.add(queue)
    await fleet.end(process, 'SIGKILL')
    await expireLocks(fleet.vault, queue, process.pid)
  }
  await load.more(12)
  expect(await findings(fleet, load)).toEqual([])
})

test.each([
  ['ahead', 119],
  ['behind', -119],
])('a replica whose clock is two minutes %s: requests are answered all the same', async (_, seconds) => {
  const clock = join(directory, `clock${seconds}.mjs`)
  await writeFile(
    clock,
    `const now = Date.now
     Date.now = () => now() + ${seconds * 1_000}
     globalThis.Date = new Proxy(Date, { construct: (date, args) => args.length > 0 ? new date(...args) : new date(Date.now()) })`,
  )
  const load = await fleet.load(60_000)
  const others = [...fleet.living]
  for (const queue of queues) await fleet.add(queue, { environment: { NODE_OPTIONS: `--import ${clock}` } })
  for (const { process } of others) await leaveInTime(process)
  await load.more(24)
  expect(await findings(fleet, load)).toEqual([])
})
