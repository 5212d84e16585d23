import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startService, stopService } from '../../stack/index.ts'
import { findings } from './harness/findings.ts'
import { Fleet } from './harness/fleet.ts'
import type { Refusal } from './harness/transit-front.ts'

const answers = (refusal: Refusal) => async () => fleet.front.refuseWith(refusal)
const errors = JSON.stringify({ errors: ['no'] })

interface Outage {
  readonly name: string
  readonly begin: () => Promise<unknown>
  /** Where it takes more than an end of the fault at the proxies. */
  readonly end?: () => Promise<unknown>
}
const outages: Outage[] = [
  { name: 'unreachable', begin: () => fleet.proxies.transit.cut() },
  { name: 'sealed', begin: () => fleet.vault.bao.write('sys/seal', {}), end: () => restart() },
  { name: 'killed', begin: () => stopService(fleet.vault.stack.directory, 'openbao', 'SIGKILL'), end: () => restart() },
  {
    name: 'resetting connections',
    begin: () => fleet.proxies.transit.add({ type: 'reset_peer', attributes: { timeout: 0 } }),
  },
  {
    name: 'slower than ten seconds',
    begin: () => fleet.proxies.transit.add({ type: 'latency', attributes: { latency: 12_000 } }),
  },
  { name: 'silent', begin: () => fleet.proxies.transit.add({ type: 'timeout', attributes: { timeout: 0 } }) },
  {
    name: 'cut off half-way through an answer',
    begin: () => fleet.proxies.transit.add({ type: 'limit_data', attributes: { bytes: 150 } }),
  },
  { name: 'answering 500', begin: answers({ status: 500, body: errors }) },
  { name: 'answering 429', begin: answers({ status: 429, body: errors }) },
  { name: 'answering 429 with Retry-After', begin: answers({ status: 429, headers: { 'retry-after': '2' } }) },
  { name: 'a standby that redirects', begin: answers({ status: 307, headers: { location: 'http://127.0.0.1:1/' } }) },
  { name: 'a standby that answers 429', begin: answers({ status: 429, body: '{"standby":true}' }) },
  { name: 'without a leader', begin: answers({ status: 503, body: errors }) },
  { name: 'answering what is no JSON', begin: answers({ status: 200, body: '<html>' }) },
  { name: 'stalled in the middle of a body', begin: answers('half') },
]
const windowMs = 2_000
const replicasOfAPool = 2

let fleet: Fleet
const restart = () => startService(fleet.vault.stack.directory, 'openbao')

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: replicasOfAPool, loads: outages.length + 1 })
})
afterEach(() => fleet.mend())
afterAll(() => fleet?.close())

test.each(outages)(
  'Transit $name: the intake closes and opens by itself, and nothing is lost',
  async ({ begin, end = () => fleet.mend() }) => {
    const load = await fleet.load()
    await load.more(12)
    await begin()
    await fleet.closed('transit')
    expect(await fleet.attemptsUsed(), 'an outage uses up no attempt').toBe(0)
    // How often they ask while it is down, over a while.
    const before = fleet.front.requests
    await delay(windowMs)
    const perSecond = (fleet.front.requests - before) / fleet.members.length / (windowMs / 1_000)
    expect(perSecond, 'a replica asks seldom').toBeLessThan(6)
    await end()
    await fleet.opened('transit')
    await load.more(12)
    expect(await findings(fleet, load)).toEqual([])
  },
)

test('Transit slow, but answering: the intake stays open, and nothing is lost', async () => {
  const load = await fleet.load()
  const said = () => fleet.living.map(({ process }) => process.stderr.split('dependency down').length)
  const before = said()
  await fleet.proxies.transit.add({ type: 'latency', attributes: { latency: 1_500, jitter: 500 } })
  await load.more(24)
  expect(said()).toEqual(before)
  await fleet.mend()
  expect(await findings(fleet, load)).toEqual([])
})
