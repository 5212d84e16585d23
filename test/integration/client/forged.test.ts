import type { Job, Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Client } from '../../../producers/index.ts'
import type { Ticket } from '../../../producers/request.ts'
import { hintJobId, replyJobId } from '../../../shared/contract/names.ts'
import type { ReplyEnvelope } from '../../../shared/contract/reply.ts'
import { requestErrors } from '../../../shared/errors/catalogue.ts'
import type { Replica } from '../../../workers/replica.ts'
import { RawProducer, ticketOf } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

/*
 * Whoever holds Redis can put anything on a reply queue: it is never taken for an answer. What is not genuine is taken off
 * the queue as soon as it is seen, so that the genuine answer, whose job id is the same, finds its place free. One that was
 * published while a forgery lay there is lost, as if it had been deleted: the request then ends by its deadline.
 */

let vault: TestVault
let app: TestActor
let client: Client
let replies: Queue
let requests: Queue
let token: string
let replica: Replica | undefined
const purpose = 'test'
const value = 'ada@example.com'

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor()
  const tokenizing = await vault.replica('tokenize')
  client = await vault.client(app)
  const [outcome] = await client.tokenize([{ field: 'email', value }], { purpose })
  if (outcome?.ok) token = outcome.token
  await tokenizing.close(5_000)
  replies = vault.queue(`reply-${app.name}`)
  requests = vault.queue('detok')
})
afterAll(() => vault.close())
afterEach(async () => {
  await replica?.close(5_000)
  replica = undefined
  expect(await replies.count(), 'every job was read or discarded').toBe(0)
})

const startWorker = async () => {
  replica = await vault.replica('detok')
}
const jobIdOf = ({ queue, id, request }: Ticket) => replyJobId(queue, id, request)
const discarded = (jobId: string) => until('it is discarded', async () => (await replies.getJob(jobId)) === undefined)
const requested = async (count: number) => {
  await until(`${count} requests`, async () => (await requests.getWaitingCount()) >= count)
  expect(await requests.getWaitingCount()).toBe(count)
}

/** A genuine reply to such a request, taken off the queue before its client could see it. */
async function stolenReply(ticket: Ticket): Promise<ReplyEnvelope> {
  const job: Job<ReplyEnvelope> = await until('it is answered', () => replies.getJob(jobIdOf(ticket)))
  await job.remove()
  return job.data
}

describe('a forged job under the id of the reply is discarded, and the genuine one still arrives', () => {
  test.each([
    ['no envelope', () => ({ hello: 'world' })],
    ['outcomes in the clear', () => ({ items: [{ value: 'forged', mask: 'full' }] })],
    ['nothing at all', () => ({})],
  ])('%s', async (_, content) => {
    const ticket = await client.submit('detok', [token], { purpose })
    const answer = client.collect(ticket)
    await replies.add('reply', content(), { jobId: jobIdOf(ticket) })
    await discarded(jobIdOf(ticket))
    await startWorker()
    expect(await answer).toMatchObject([{ ok: true }])
  })

  test.each<[string, (reply: ReplyEnvelope) => object]>([
    ['its body altered', (reply) => ({ ...reply, body: flipped(reply.body) })],
    ['its counts altered', (reply) => ({ ...reply, ok: 0, failed: 1 })],
    ['its session altered', (reply) => ({ ...reply, session: flipped(reply.session) })],
    ['its time altered', (reply) => ({ ...reply, until: reply.until + 1 })],
    ['one member too many', (reply) => ({ ...reply, more: 1 })],
  ])('a genuine one with %s', async (_, alter) => {
    await startWorker()
    const ticket = await client.submit('detok', [token], { purpose })
    const genuine = await stolenReply(ticket)
    const answer = client.collect(ticket)
    await replies.add('reply', alter(genuine), { jobId: jobIdOf(ticket) })
    await discarded(jobIdOf(ticket))
    await replies.add('reply', genuine, { jobId: jobIdOf(ticket) })
    expect(await answer).toMatchObject([{ ok: true }])
  })

  test('one whose session no server can judge now decides nothing', async () => {
    await startWorker()
    const ticket = await client.submit('detok', [token], { purpose })
    const genuine = await stolenReply(ticket)
    const future = { ...genuine, session: `vault:v99:${'A'.repeat(80)}` }
    const forged = await replies.add('reply', future, { jobId: jobIdOf(ticket) })
    const answer = client.collect(ticket)
    await forged.remove()
    await replies.add('reply', genuine, { jobId: jobIdOf(ticket) })
    expect(await answer).toMatchObject([{ ok: true }])
  })

  test('the reply of another request, and of the same request with other bytes', async () => {
    await startWorker()
    const raw = new RawProducer(vault, app)
    const other = await client.submit('detok', [token], { purpose })
    const ofAnother = await stolenReply(other)
    const first = await raw.request('detok', { purpose, items: [{ token: 'no token' }] })
    await raw.put(first)
    const ofOtherBytes = await stolenReply(ticketOf(first))
    await replica?.close(5_000)
    const { id, exp } = first.envelope
    const second = await raw.request('detok', { purpose, items: [{ token }] }, { id, exp })
    await raw.put(second)
    const ticket = ticketOf(second)
    const answer = client.collect(ticket)
    for (const reply of [ofAnother, ofOtherBytes, { ...ofOtherBytes, request: ticket.request }]) {
      await replies.add('reply', reply, { jobId: jobIdOf(ticket) })
      await discarded(jobIdOf(ticket))
    }
    await startWorker()
    expect(await answer).toMatchObject([{ ok: true }])
  })
})

describe('a forged hint is never an outcome', () => {
  test.each(Object.keys(requestErrors))('%s', async (code) => {
    const answer = client.detok([token], { purpose })
    await requested(1)
    const [job] = await requests.getWaiting()
    const id = job?.id ?? ''
    await replies.add('hint', { code }, { jobId: hintJobId('detok', id) })
    await discarded(hintJobId('detok', id))
    // `unauthenticated` makes the client ask once more, under another id; the first request is still waited for.
    await requested(code === 'unauthenticated' ? 2 : 1)
    if (code === 'unauthenticated') await (await requests.getWaiting()).find((each) => each.id !== id)?.remove()
    await startWorker()
    expect(await answer).toMatchObject([{ ok: true }])
  })

  test('nor where a submitted request is collected', async () => {
    const ticket = await client.submit('detok', [token], { purpose })
    const answer = client.collect(ticket)
    await replies.add('hint', { code: 'unauthenticated' }, { jobId: hintJobId('detok', ticket.id) })
    await discarded(hintJobId('detok', ticket.id))
    await startWorker()
    expect(await answer).toMatchObject([{ ok: true }])
  })
})

/** The same text with one digit of its last part changed. */
function flipped(text: string): string {
  const at = text.length - 20
  return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1)
}
