import type { Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Client, RequestFailed } from '../../../producers/index.ts'
import { hintJobId } from '../../../shared/contract/names.ts'
import { mintToken } from '../../../shared/crypto/token.ts'
import { shown } from '../../harness/outcomes.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

/* A call that ends without its answers leaves nothing behind that no worker has taken: nobody could collect it. */

let vault: TestVault
let app: TestActor
let client: Client
let requests: Queue
const purpose = 'test'
const tokens = Array.from({ length: 401 }, mintToken)

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor()
  client = await vault.client(app)
  requests = vault.queue('detok')
})
afterAll(() => vault.close())
afterEach(async () => {
  await until('nothing is left', async () => (await requests.getJobs()).length === 0)
  expect(await vault.queue(`reply-${app.name}`).getJobs()).toEqual([])
})

const left = () => requests.getJobs(['waiting', 'prioritized'])
const waiting = (count: number) => until(`${count} wait`, async () => (await left()).length === count)

test('when it is aborted', async () => {
  const controller = new AbortController()
  const call = client.detok(tokens, { purpose, signal: controller.signal })
  await waiting(3)
  controller.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test('when its deadline passes', async () => {
  await expect(client.detok(tokens, { purpose, timeoutMs: 300 })).rejects.toMatchObject({ code: 'timeout' })
})

test('when its client is closed, before that is done', async () => {
  const another = await vault.client(app)
  const letGo = expect(another.detok(tokens, { purpose })).rejects.toThrow('closed')
  await waiting(3)
  await another.close()
  expect(await requests.getJobs()).toEqual([])
  await letGo
})

test('when it asked twice and the first was answered after all', async () => {
  const call = client.detok(tokens.slice(0, 1), { purpose })
  await waiting(1)
  const [first] = await left()
  await vault
    .queue(`reply-${app.name}`)
    .add('hint', { code: 'unauthenticated' }, { jobId: hintJobId('detok', first?.id ?? '') })
  await waiting(2)
  // The second is out of every worker's reach until it is withdrawn.
  const second = (await left()).find(({ id }) => id !== first?.id)
  await second?.remove()
  await requests.add('detok', second?.data, { jobId: second?.id ?? '', delay: 3_600_000 })
  const replica = await vault.replica('detok')
  expect(await call).toMatchObject([{ code: 'not_found' }])
  await replica.close(5_000)
})

test('but a request that was submitted stays, for whoever collects it', async () => {
  const { id } = await client.submit('detok', tokens.slice(0, 1), { purpose, timeoutMs: 100 })
  await expect(client.detok(tokens.slice(0, 1), { purpose, timeoutMs: 200 })).rejects.toMatchObject({ code: 'timeout' })
  await waiting(1)
  const [stays] = await left()
  expect(stays?.id).toBe(id)
  await stays?.remove()
})

test('and what was answered is not lost where another request of the call was deleted', async () => {
  const call = client.detok(tokens, { purpose, timeoutMs: 10_000 }).catch((error: unknown) => error)
  await waiting(3)
  const last = (await left()).find(({ data }) => data.items === 1)
  await last?.remove()
  const replica = await vault.replica('detok')
  const error = await call
  expect(error).toMatchObject({ name: 'RequestFailed', code: 'timeout' })
  const { outcomes } = error as RequestFailed
  expect(outcomes.map((outcome) => outcome && shown(outcome))).toEqual([...new Array(400).fill('not_found'), undefined])
  await replica.close(5_000)
})
