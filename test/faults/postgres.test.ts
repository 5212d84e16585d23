import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { startService, stopService } from '../../stack/index.ts'
import { withAuditBlocked } from '../harness/audit-lock.ts'
import { until } from '../harness/until.ts'
import { findings } from './harness/findings.ts'
import { Fleet } from './harness/fleet.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await Fleet.start({ replicas: 2, loads: 12 })
})
afterEach(() => fleet.mend())
afterAll(() => fleet?.close())

const query = (text: string) => fleet.vault.postgres.query(text)
const restart = (signal?: NodeJS.Signals) => async () => {
  await stopService(fleet.vault.stack.directory, 'postgres', signal)
  await startService(fleet.vault.stack.directory, 'postgres')
}
const standbySignal = () => join(fleet.vault.stack.directory, 'postgres', 'data', 'standby.signal')
const roles = ['pii_vault_detok', 'pii_vault_tokenize']
const endConnections = (state: string) =>
  query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'pii-vault' and ${state}`,
  ).then(({ rowCount }) => rowCount ?? 0)

interface Outage {
  readonly name: string
  readonly begin: () => Promise<unknown>
  readonly end: () => Promise<unknown>
}
const outages: Outage[] = [
  {
    name: 'stopped',
    begin: () => stopService(fleet.vault.stack.directory, 'postgres'),
    end: () => startService(fleet.vault.stack.directory, 'postgres'),
  },
  {
    name: 'killed',
    begin: () => stopService(fleet.vault.stack.directory, 'postgres', 'SIGKILL'),
    end: () => startService(fleet.vault.stack.directory, 'postgres'),
  },
  { name: 'unreachable', begin: () => fleet.proxies.postgres.cut(), end: () => fleet.mend() },
  {
    name: 'silent',
    begin: () => fleet.proxies.postgres.add({ type: 'timeout', attributes: { timeout: 0 } }),
    end: () => fleet.mend(),
  },
  {
    name: 'a read-only standby, as after a failover',
    begin: async () => {
      await stopService(fleet.vault.stack.directory, 'postgres')
      await writeFile(standbySignal(), '')
      await startService(fleet.vault.stack.directory, 'postgres')
    },
    end: () => query('select pg_promote()'),
  },
  {
    name: 'without a connection to spare',
    begin: async () => {
      for (const role of roles) await query(`alter role ${role} connection limit 0`)
      await endConnections('true')
    },
    end: async () => {
      for (const role of roles) await query(`alter role ${role} connection limit -1`)
    },
  },
]

test.each(outages)(
  'Postgres $name: the intake closes and opens by itself, and nothing is answered unaudited',
  async ({ begin, end }) => {
    const load = await fleet.load()
    await load.more(12)
    await begin()
    await fleet.closed('postgres')
    expect(await fleet.attemptsUsed(), 'an outage uses up no attempt').toBe(0)
    await end()
    await fleet.opened('postgres')
    await load.more(12)
    expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
  },
)

test.each([
  ['restarted', restart()],
  ['killed and restarted', restart('SIGKILL')],
])('Postgres %s under load: nothing is lost', async (_, again) => {
  const load = await fleet.load()
  for (let time = 0; time < 2; time++) {
    await load.more(12)
    await again()
  }
  await load.more(12)
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
})

test('connections ended while idle and in the midst of a statement: nothing is lost', async () => {
  const load = await fleet.load()
  await load.more(12)
  const ended = { idle: 0, active: 0 }
  await until('some of each were ended', async () => {
    ended.idle += await endConnections("state = 'idle'")
    ended.active += await endConnections("state <> 'idle'")
    return ended.idle >= 20 && ended.active >= 20
  })
  await load.more(12)
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
})

test('a disk that is full: the intake closes, or waits; nothing is answered unaudited', async () => {
  // No real disk can be filled here. A trigger says what a server with a full one says.
  const load = await fleet.load()
  await load.more(12)
  await query(`create function vault.disk_full() returns trigger language plpgsql as
               $$ begin raise exception 'no space left' using errcode = 'disk_full'; end $$`)
  await query('create trigger disk_full before insert on vault.audit for each row execute function vault.disk_full()')
  const { answered } = load
  // What was past its audit already may still be answered.
  await delay(3_000)
  expect(load.answered - answered).toBeLessThanOrEqual(6)
  await query('drop trigger disk_full on vault.audit')
  await query('drop function vault.disk_full()')
  await load.more(12)
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
})

test('the audit locked for longer than a statement may take: nothing is answered meanwhile, and nothing is lost', async () => {
  const load = await fleet.load()
  await load.more(12)
  await withAuditBlocked(fleet.vault, async (blocked) => {
    await blocked()
    const { answered } = load
    await delay(22_000)
    expect(load.answered - answered).toBeLessThanOrEqual(6)
  })
  await load.more(12)
  expect(await findings(fleet, load, { commitsWereLost: true })).toEqual([])
})
