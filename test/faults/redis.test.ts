import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startService, stopService } from '../../stack/index.ts'
import { until } from '../harness/until.ts'
import { findings } from './harness/findings.ts'
import { Fleet, queues } from './harness/fleet.ts'

/*
 * Who has a job in hand when Valkey goes may not learn that it got it. Such a job is found when its lock has ended, 30
 * seconds on, by a look that comes every 30 seconds.
 */
const foundWithinMs = 100_000

let fleet: Fleet

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 2, loads: 7 })
})
afterEach(() => fleet.mend())
afterAll(() => fleet?.close())

const stop = (signal?: NodeJS.Signals) => stopService(fleet.vault.stack.directory, 'valkey', signal)
const start = () => startService(fleet.vault.stack.directory, 'valkey')

/** Resolves when the append-only file holds what was answered until now: it is written once a second. */
async function synced(): Promise<void> {
  await fleet.vault.redis.call('WAITAOF', '1', '0', '10000')
}

test('Valkey restarted under load: replies are not lost', async () => {
  const load = await fleet.load()
  await load.more(12)
  await stop()
  await start()
  await load.more(24, foundWithinMs)
  expect(await findings(fleet, load)).toEqual([])
})

test('Valkey killed and loaded again from its append-only file: replies are not lost', async () => {
  const load = await fleet.load()
  await load.more(12)
  // All asking stands still: what the file does not hold yet is lost with the server, as its setting says.
  await fleet.vault.redis.call('CLIENT', 'PAUSE', '5000', 'WRITE')
  await synced()
  await stop('SIGKILL')
  await start()
  await load.more(24, foundWithinMs)
  expect(await findings(fleet, load)).toEqual([])
})

test('Valkey out of reach of the workers for 15 seconds: they go on by themselves', async () => {
  const load = await fleet.load()
  await load.more(12)
  const since = Date.now()
  await fleet.proxies.redis.cut()
  await until('15 seconds have passed', () => Date.now() - since > 15_000)
  expect(await fleet.attemptsUsed(), 'an outage uses up no attempt').toBe(0)
  await fleet.mend()
  await load.more(24, foundWithinMs)
  expect(await findings(fleet, load)).toEqual([])
})

test('Valkey silent, connections open: they go on by themselves', async () => {
  const load = await fleet.load()
  await load.more(12)
  const since = Date.now()
  await fleet.proxies.redis.add({ type: 'timeout', attributes: { timeout: 0 } })
  await until('15 seconds have passed', () => Date.now() - since > 15_000)
  await fleet.mend()
  await load.more(24, foundWithinMs)
  expect(await findings(fleet, load)).toEqual([])
})

const unknown = `tok_${'0'.repeat(26)}`
const refusals = [
  {
    name: 'a replica after a failover (READONLY)',
    begin: () => fleet.vault.redis.call('REPLICAOF', '127.0.0.1', '1'),
    end: () => fleet.vault.redis.call('REPLICAOF', 'NO', 'ONE'),
  },
  {
    name: 'out of memory, with noeviction',
    begin: () => fleet.vault.redis.config('SET', 'maxmemory', '1'),
    end: () => fleet.vault.redis.config('SET', 'maxmemory', '0'),
  },
]

test.each(refusals)(
  'Valkey $name: producers learn what was not taken, and what was in hand waits and is answered',
  async ({ begin, end }) => {
    const load = await fleet.load()
    await load.more(12)
    await begin()
    try {
      // Who has nothing in hand does not notice; then a producer was told.
      const isNoticed = () => load.notTaken > 0 || queues.some((queue) => fleet.isClosed('redis', queue))
      await until('it is noticed', isNoticed)
      const told = await fleet.asking.client.detok([unknown], { purpose: 'test' }).catch((error: unknown) => error)
      expect(told).toMatchObject({ code: 'unavailable', retryable: true })
    } finally {
      await end()
    }
    await fleet.opened('redis')
    await load.more(24, foundWithinMs)
    expect(await findings(fleet, load, { refused: true })).toEqual([])
  },
)
