import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../producers/index.ts'
import { writeActorCredentials } from '../../provision/index.ts'
import { queues } from '../../shared/contract/grammar.ts'
import { itemErrors } from '../../shared/errors/catalogue.ts'
import { createLogger } from '../../shared/log/log.ts'
import type { Child } from '../harness/child.ts'
import { startCli } from '../harness/child.ts'
import { until } from '../harness/until.ts'
import type { TestActor } from '../harness/vault.ts'
import { TestVault } from '../harness/vault.ts'
import { Scenario } from './canary/scenario.ts'
import { formsOf, newCanary, search, searchFiles, searchKeys } from './canary/search.ts'
import { plant, searchServers } from './canary/servers.ts'

/*
 * A value rests nowhere but in its record, encrypted. Shown by looking: unusual values go through a stack of their own and
 * real worker processes in every way there is, and then everything that any server or process kept is read through.
 */

const canary = newCanary('canary')
const clumsy = newCanary('clumsy')
const unsealed = newCanary('unsealed')
/** Planted on purpose: what finds it would have found the canary. */
const planted = newCanary('planted')

let vault: TestVault
let scenario: Scenario
let directory: string
const workers: Child[] = []
let clientLog = ''

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pii-vault-canary-'))
  vault = await TestVault.openAlone()
  await vault.redis.config('SET', 'rdbcompression', 'no') // compressed, a canary could hide
  const actor = await vault.actor('app', {
    grants: {
      all: { actions: ['tokenize', 'detok'], purposes: ['test'], fields: { '*': 'full' } },
      support: { actions: ['detok'], purposes: ['support'], fields: { email: 'email', phone: 'last4', '*': 'redact' } },
    },
  })
  for (const queue of queues) {
    const worker = startCli(['worker', queue], { env: { ...vault.environment(queue), LOG_LEVEL: 'trace' } })
    workers.push(worker)
    await worker.said('replica started')
  }
  scenario = new Scenario(vault, actor, await tracedClient(actor))
  await scenario.items(canary)
  await scenario.requests(canary)
  await scenario.calls(canary)
  await scenario.commands(canary, directory, await commandEnvironment(actor))
  await scenario.clumsy(clumsy)
  await scenario.unsealed(unsealed)
  await plant(planted, vault)
  await writeFile(join(directory, 'planted'), Buffer.concat([...formsOf(planted).values()]))
  await vault.postgres.query('checkpoint')
}, 120_000)

afterAll(async () => {
  for (const worker of workers) await worker.stop()
  await rm(directory, { recursive: true, force: true })
  await vault?.close()
})

async function tracedClient({ name: actor, roleId, secretId, queueUrl }: TestActor) {
  const write = (line: string) => {
    clientLog += line
  }
  const client = await createClient({
    queue: { url: queueUrl, prefix: vault.prefix },
    transit: { address: vault.stack.transitAddr },
    credentials: { actor, roleId, secretId },
    log: createLogger('trace', 'client', { write }),
  })
  vault.onClose(() => client.close())
  return client
}

async function commandEnvironment({ name, roleId, secretId, queueUrl }: TestActor): Promise<Record<string, string>> {
  const file = join(directory, 'actor.json')
  await writeActorCredentials(file, name, { roleId, secretId: secretId.reveal() }, queueUrl)
  return { QUEUE_PREFIX: vault.prefix, TRANSIT_ADDR: vault.stack.transitAddr, ACTOR_CREDENTIALS_FILE: file }
}

const serversHold = (text: string) => searchServers(text, vault, directory)

test('the run met an outcome of every kind', () => {
  const { expired: _, ...itemCodes } = itemErrors // an item's needs two minutes of patience; the request's is here
  const requestCodes = ['malformed', 'expired', 'too_large', 'conflict'].map((code) => `request ${code}`)
  expect([...scenario.trail.codes].sort()).toEqual(['ok', ...Object.keys(itemCodes), ...requestCodes].sort())
})

describe('the search finds a planted text in every form', () => {
  const everyForm = [...formsOf(planted).keys()].sort()
  const formsIn = (found: string[]) => [...new Set(found.map((line) => line.slice(line.indexOf(': ') + 2)))].sort()

  test('in files, wherever it stands in base64', async () => {
    const { found } = await searchFiles(formsOf(planted), directory)
    expect(formsIn(found)).toEqual(everyForm)
    for (const before of ['', 'x', 'xy', 'xyz']) {
      const text = Buffer.from(`${before}${planted}`).toString('base64')
      expect(search(formsOf(planted), 'text', text), before).toContainEqual(expect.stringMatching(/^text: base64 /))
    }
  })

  test('in keys and streams of Valkey', async () => {
    const { found } = await searchKeys(formsOf(planted), vault.redis)
    expect(formsIn(found)).toEqual(everyForm)
    expect(found).toContain(`${vault.prefix}:planted-events: UTF-8`)
  })

  test('in the files of each server: append-only file, data and write-ahead log, audit log', async () => {
    const { found } = await serversHold(planted)
    expect(formsIn(found.filter((line) => line.includes('/appendonlydir/')))).toEqual(everyForm)
    expect(formsIn(found.filter((line) => line.includes('/base/')))).toEqual(everyForm)
    expect(formsIn(found.filter((line) => line.includes('/pg_wal/')))).toEqual(everyForm)
    expect(found).toContainEqual(expect.stringMatching(/audit\.log: /))
  })
})

describe('a value that was tokenized and detokenized occurs nowhere', () => {
  test("in Valkey's keys, streams of events and unread replies included", async () => {
    const { found, keys } = await searchKeys(formsOf(canary), vault.redis)
    expect(found).toEqual([])
    expect(keys).toBeGreaterThan(10)
  })

  test("in the servers' files: append-only file, data directory, write-ahead log, audit device, logs", async () => {
    const { found, bytes } = await serversHold(canary)
    expect(found).toEqual([])
    expect(bytes).toBeGreaterThan(30_000_000)
  })

  test('in the append-only file after it was rewritten', async () => {
    await vault.redis.bgrewriteaof()
    const over = /aof_rewrite_in_progress:0\r\naof_rewrite_scheduled:0/
    await until('it is rewritten', async () => over.test(await vault.redis.info('persistence')))
    expect(await vault.redis.info('persistence')).toContain('aof_last_bgrewrite_status:ok')
    expect((await serversHold(canary)).found).toEqual([])
    expect((await serversHold(planted)).found).toContainEqual(expect.stringMatching(/base\.rdb: UTF-8$/))
  })

  test('in what workers, commands and the client said at the most verbose level', () => {
    const said = [...workers.map(({ stdout, stderr }) => stdout + stderr), clientLog]
    expect(said.flatMap((text, i) => search(formsOf(canary), `log ${i}`, text))).toEqual([])
    for (const { stderr } of workers) expect(stderr).toContain('replica started')
  })

  test("in errors, their causes and stacks, in printed outcomes, and in commands' messages", () => {
    const { texts } = scenario.trail
    expect([...texts].flatMap(([name, text]) => search(formsOf(canary), name, text))).toEqual([])
    expect(texts.size).toBeGreaterThan(25)
  })

  test('in the lists of failed items that commands write', async () => {
    const { found } = await searchFiles(formsOf(canary), directory)
    expect(found.filter((line) => line.includes('.failed.'))).toEqual([])
    expect(found.filter((line) => line.startsWith('tokens.csv'))).toEqual([])
  })

  test('in the audit', async () => {
    const { rows } = await vault.postgres.query('select row_to_json(a)::text as row from vault.audit a')
    expect(rows.flatMap(({ row }: { row: string }) => search(formsOf(canary), 'audit', row))).toEqual([])
    expect(rows.length).toBeGreaterThan(50)
  })
})

describe('what a clumsy producer put on the queue in the clear is copied nowhere', () => {
  test('it is gone from Valkey, with its dead letter kept', async () => {
    expect((await searchKeys(formsOf(clumsy), vault.redis)).found).toEqual([])
  })

  test('it is not in the audit, nor in any log', async () => {
    const { rows } = await vault.postgres.query('select row_to_json(a)::text as row from vault.audit a')
    expect(rows.flatMap(({ row }: { row: string }) => search(formsOf(clumsy), 'audit', row))).toEqual([])
    const { found } = await serversHold(clumsy)
    // The append-only file holds the producer's own command until it is rewritten, which the test above had done.
    expect(found).toEqual([])
    for (const { stderr } of workers) expect(search(formsOf(clumsy), 'log', stderr)).toEqual([])
  })

  test('a body that has the form of a sealed one, and is plain text, is not kept either', async () => {
    expect((await searchKeys(formsOf(unsealed), vault.redis)).found).toEqual([])
  })
})
