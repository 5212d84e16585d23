import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import { RequestFailed } from '../../../producers/index.ts'
import type { Ticket } from '../../../producers/request.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { replyJobId } from '../../../shared/contract/names.ts'
import type { Replica } from '../../../workers/replica.ts'
import { Child } from '../../harness/child.ts'
import { shown, tokensOf, valuesOf } from '../../harness/outcomes.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import type { Order, Said } from './child.ts'

let vault: TestVault
let app: TestActor
let tokens: string[]
const purpose = 'test'
const values = ['one', 'two', 'three']

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor()
  const replica = await vault.replica('tokenize')
  const client = await vault.client(app)
  const outcomes = await client.tokenize(
    values.map((value) => ({ field: 'note', value })),
    { purpose },
  )
  tokens = tokensOf(outcomes)
  await replica.close(5_000)
})
afterAll(() => vault.close())

/** Resolves once the answer lies on the reply queue. */
async function answered({ queue, id, request, reply }: Ticket): Promise<void> {
  const replies = vault.queue(reply)
  await until('it is answered', () => replies.getJob(replyJobId(queue, id, request)))
}

async function inAnotherProcess(ticket: Ticket & { queue: QueueName }): Promise<Said> {
  const { name: actor, roleId, secretId, queueUrl } = app
  const order: Order = {
    config: {
      queue: { url: queueUrl, prefix: vault.prefix },
      transit: { address: vault.stack.transitAddr },
      credentials: { actor, roleId, secretId: secretId.reveal() },
    },
    ticket,
  }
  const child = new Child([fileURLToPath(new URL('child.ts', import.meta.url))], { input: JSON.stringify(order) })
  expect(await child.exited, child.stderr).toBe(0)
  return JSON.parse(child.stdout) as Said
}

describe('while a worker runs', () => {
  let replica: Replica
  beforeAll(async () => {
    replica = await vault.replica('detok')
  })
  afterAll(() => replica.close(5_000))

  test('what one process submits, another collects', async () => {
    const client = await vault.client(app)
    const ticket = await client.submit('detok', tokens, { purpose })
    expect(await inAnotherProcess(JSON.parse(JSON.stringify(ticket)))).toEqual({ values })
    expect(await vault.queue(ticket.reply).getJob(replyJobId('detok', ticket.id, ticket.request))).toBeUndefined()
  })

  test('an answer that came while nobody listened is collected after a restart', async () => {
    const before = await vault.client(app)
    const ticket = await before.submit('detok', tokens, { purpose })
    await before.close()
    await answered(ticket)
    const after = await vault.client(app)
    expect(valuesOf(await after.collect(ticket))).toEqual(values)
  })

  test('clients of one actor that share a reply queue each get all of theirs', async () => {
    const clients = [await vault.client(app), await vault.client(app)]
    const runs = clients.flatMap((client) =>
      tokens.flatMap((token) => Array.from({ length: 10 }, () => ({ client, token }))),
    )
    const outcomes = await Promise.all(runs.map(({ client, token }) => client.detok([token], { purpose })))
    expect(outcomes.map(([outcome]) => outcome && shown(outcome))).toEqual(
      runs.map(({ token }) => values[tokens.indexOf(token)]),
    )
    await until('all are read', async () => (await vault.queue(`reply-${app.name}`).count()) === 0)
  })

  test('a client with a reply queue of its own gets its answers there', async () => {
    const client = await vault.client(app, 'batch-7')
    const ticket = await client.submit('detok', tokens, { purpose })
    expect(ticket.reply).toBe(`reply-${app.name}.batch-7`)
    await answered(ticket)
    expect(valuesOf(await client.collect(ticket))).toEqual(values)
  })
})

describe('while no worker runs', () => {
  let client: Client
  beforeEach(async () => {
    client = await vault.client(app)
  })

  test('the deadline ends the waiting, and what comes later can still be collected', async () => {
    const ticket = await client.submit('detok', tokens, { purpose, timeoutMs: 100 })
    await expect(client.collect(ticket)).rejects.toMatchObject({
      name: 'RequestFailed',
      code: 'timeout',
      retryable: true,
    })
    await expect(client.detok(tokens, { purpose, timeoutMs: 100 })).rejects.toThrow(RequestFailed)
    const replica = await vault.replica('detok')
    await answered(ticket)
    expect(valuesOf(await client.collect(ticket))).toEqual(values)
    await replica.close(5_000)
  })

  test('an aborted call rejects with the reason of its signal, whether it waits already or not', async () => {
    const controller = new AbortController()
    const waiting = client.detok(tokens, { purpose, signal: controller.signal })
    const ticket = await client.submit('detok', tokens, { purpose })
    const collecting = client.collect(ticket, controller.signal)
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(collecting).rejects.toThrow('enough')
    await expect(client.detok(tokens, { purpose, signal: controller.signal })).rejects.toThrow('enough')
    const replica = await vault.replica('detok')
    expect(valuesOf(await client.collect(ticket))).toEqual(values)
    await replica.close(5_000)
  })
})
