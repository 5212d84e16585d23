import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { hintJobId } from '../../../shared/contract/names.ts'
import { startService, stopService } from '../../../stack/index.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

/* On a stack of its own, whose servers go away and come back. */

let vault: TestVault
let app: TestActor
let client: Client
let token: string
const purpose = 'test'

beforeAll(async () => {
  vault = await TestVault.openAlone()
  app = await vault.actor()
  const tokenizing = await vault.replica('tokenize')
  client = await vault.client(app)
  const [outcome] = await client.tokenize([{ field: 'note', value: 'x' }], { purpose })
  if (outcome?.ok) token = outcome.token
  await tokenizing.close(5_000)
})
afterAll(() => vault?.close())

const stopValkey = () => stopService(vault.stack.directory, 'valkey')
const startValkey = () => startService(vault.stack.directory, 'valkey')

test('a request that waits while Valkey restarts is answered', async () => {
  const requests = vault.queue('detok')
  const answers = Array.from({ length: 120 }, () => client.detok([token], { purpose }))
  await until('all wait', async () => (await requests.getWaitingCount()) === answers.length)
  await stopValkey()
  await startValkey()
  const replica = await vault.replica('detok')
  for (const answer of answers) expect(await answer).toMatchObject([{ ok: true }])
  await replica.close(5_000)
})

describe('while Valkey is away', () => {
  let another: Client
  beforeAll(async () => {
    another = await vault.client(app)
    await stopValkey()
  })
  afterAll(startValkey)

  test('the deadline holds for a call that cannot even be sent', async () => {
    const late = { name: 'RequestFailed', code: 'timeout' }
    await expect(client.detok([token], { purpose, timeoutMs: 100 })).rejects.toMatchObject(late)
    await expect(client.submit('detok', [token], { purpose, timeoutMs: 100 })).rejects.toMatchObject(late)
  })

  test('so does an abort', async () => {
    const signal = AbortSignal.timeout(100)
    await expect(client.detok([token], { purpose, signal })).rejects.toMatchObject({ name: 'TimeoutError' })
    await expect(client.submit('detok', [token], { purpose, signal })).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  test('a client closes within its deadline, and lets go whoever waits', async () => {
    const letGo = expect(another.detok([token], { purpose })).rejects.toThrow('closed')
    await another.close()
    await letGo
  })
})

test('a call that is made while Valkey is away is answered once it is back', async () => {
  await stopValkey()
  const answer = client.detok([token], { purpose })
  await startValkey()
  const replica = await vault.replica('detok')
  expect(await answer).toMatchObject([{ ok: true }])
  await replica.close(5_000)
})

test('a session that cannot be had while OpenBao is away fails the request as worth retrying, and later works', async () => {
  const fresh = await vault.client(app)
  await stopService(vault.stack.directory, 'openbao')
  await expect(fresh.tokenize([{ field: 'note', value: 'x' }], { purpose })).rejects.toMatchObject({
    ...{ name: 'RequestFailed', code: 'unavailable', retryable: true },
  })
  await startService(vault.stack.directory, 'openbao')
  const replica = await vault.replica('tokenize')
  expect(await fresh.tokenize([{ field: 'note', value: 'x' }], { purpose })).toMatchObject([{ ok: true }])
  await replica.close(5_000)
})

test('a forged hint while OpenBao is away does not fail a request whose answer still comes', async () => {
  const requests = vault.queue('detok')
  const replies = vault.queue(`reply-${app.name}`)
  const answer = client.detok([token], { purpose })
  await until('it waits', async () => (await requests.getWaitingCount()) === 1)
  const [job] = await requests.getWaiting()
  const jobId = hintJobId('detok', job?.id ?? '')
  await stopService(vault.stack.directory, 'openbao')
  await replies.add('hint', { code: 'unauthenticated' }, { jobId })
  await until('it is heeded', async () => (await replies.getJob(jobId)) === undefined)
  await delay(500) // for the second request to fail
  await startService(vault.stack.directory, 'openbao')
  expect(await requests.getWaitingCount(), 'it could not be sent again').toBe(1)
  const replica = await vault.replica('detok')
  expect(await answer).toMatchObject([{ ok: true }])
  await replica.close(5_000)
})
