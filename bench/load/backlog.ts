import { z } from 'zod'
import { rankOf } from '../../producers/limits.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { replyQueueName } from '../../shared/contract/names.ts'
import { now } from '../../test/harness/raw-producer.ts'
import type { Bench } from '../bench.ts'
import { valueItem } from './items.ts'
import { reached } from './list-length.ts'

const jobsAtOnce = 500
/** The deadline of requests: nothing may expire on the queue. */
const validSeconds = 3_000
const drainedWithinMs = 180_000
/** A reply queue of its own: nobody listens there, so the load costs Redis nothing beyond the replies. */
const replyName = 'backlog'

const replyCounts = z.object({ ok: z.int() })

/** Sealed requests on a queue that is paused. */
export interface Backlog {
  readonly jobs: number
  readonly items: number
  /** Lets the workers have it, and waits until they are idle. Seconds until the last reply was on the reply queue. */
  drain(): Promise<number>
  /** Takes the replies off their queue. Throws unless every item came back well. */
  check(): Promise<void>
}

/** Puts jobs of one size on a queue, this many items in all. What is made is not measured, only what becomes of it. */
export async function fillBacklog(bench: Bench, queue: QueueName, jobItems: number, items: number): Promise<Backlog> {
  const { producer, vault } = bench
  const jobs = Math.ceil(items / jobItems)
  const reply = replyQueueName(bench.actor.name, replyName)
  const session = await producer.newSession(queue)
  const itemAt = await itemsOf(bench, queue)
  const requests = vault.queue(queue)
  await requests.pause()
  for (let made = 0; made < jobs; made += jobsAtOnce) {
    const some = Array.from({ length: Math.min(jobsAtOnce, jobs - made) }, async (_, i) => {
      const first = (made + i) * jobItems
      const content = { purpose: 'bench', items: Array.from({ length: jobItems }, (_, at) => itemAt(first + at)) }
      const fields = { reply, exp: now() + validSeconds }
      const { envelope } = await producer.request(queue, content, fields, session)
      return { name: queue, data: envelope, opts: { jobId: envelope.id, ...rankOf(envelope.items) } }
    })
    await requests.addBulk(await Promise.all(some))
  }
  const drain = async () => {
    const started = performance.now()
    await requests.resume()
    await reached(vault.redis, `${vault.prefix}:${reply}:wait`, (length) => length >= jobs, drainedWithinMs)
    const seconds = (performance.now() - started) / 1_000
    await reached(vault.redis, `${vault.prefix}:${queue}:active`, (length) => length === 0, drainedWithinMs)
    return seconds
  }
  const check = async () => {
    await assertAnswered(bench, reply, jobs * jobItems)
    await vault.queue(reply).obliterate({ force: true })
  }
  return { jobs, items: jobs * jobItems, drain, check }
}

/** Tokens of records that are there, in turn; or values that are new. */
async function itemsOf(bench: Bench, queue: QueueName): Promise<(index: number) => object> {
  if (queue === 'tokenize') return valueItem
  const tokens = await bench.tokens(recordsOf(bench))
  return (index) => ({ token: tokens[index % tokens.length] })
}

/** More than fit in a replica's hands many times over, so that lookups find rows all over the table. */
export const recordsOf = ({ quick }: Bench): number => (quick ? 5_000 : 50_000)

/** An engine that fails items could be fast. */
async function assertAnswered({ vault }: Bench, reply: string, items: number): Promise<void> {
  const key = `${vault.prefix}:${reply}`
  const ids = await vault.redis.lrange(`${key}:wait`, 0, -1)
  let ok = 0
  for (let at = 0; at < ids.length; at += jobsAtOnce) {
    const asked = vault.redis.pipeline()
    for (const id of ids.slice(at, at + jobsAtOnce)) asked.hget(`${key}:${id}`, 'data')
    for (const [, data] of (await asked.exec()) ?? []) ok += replyCounts.parse(JSON.parse(String(data))).ok
  }
  if (ok !== items) throw new Error(`of ${items} items on ${reply}, ${ok} came back well`)
}
