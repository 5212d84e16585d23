import type { Job, JobsOptions, Queue } from 'bullmq'
import { v7 as uuidv7 } from 'uuid'
import type { Ticket } from '../../producers/request.ts'
import type { Session } from '../../producers/sessions.ts'
import { replyAad, requestAad, sessionAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import {
  deadLetterQueueName,
  hintJobId,
  replyJobId,
  replyQueueName,
  sessionKeyName,
} from '../../shared/contract/names.ts'
import { replyEnvelope } from '../../shared/contract/reply.ts'
import type { RequestEnvelope } from '../../shared/contract/request.ts'
import { decodeBase64, digestOf, openBody, sealBody } from '../../shared/contract/seal.ts'
import { aesKey, seal } from '../../shared/crypto/aes-gcm.ts'
import { openTransit } from '../../shared/transit/index.ts'
import { until } from './until.ts'
import type { TestActor, TestVault } from './vault.ts'

export const now = (): number => Math.floor(Date.now() / 1_000)
export const newId = (): string => uuidv7()

export interface RawRequest<Q extends QueueName = QueueName> {
  readonly queue: Q
  readonly envelope: RequestEnvelope
  readonly session: Session
  /** Of the body as it was sealed. */
  readonly digest: string
}

/** An object is padded as the contract says; a string is sealed as it is. */
export type RequestContent = { items: unknown[]; [member: string]: unknown } | string

/** With this, any client of the actor can collect the answer. */
export function ticketOf<Q extends QueueName>(request: RawRequest<Q>): Ticket & { queue: Q } {
  const { id, items, reply, exp } = request.envelope
  return { queue: request.queue, id, items, reply, exp, request: request.digest }
}

/** Seals requests as an actor would, with any field the test wants, and puts them on the queue by hand. */
export class RawProducer {
  readonly #vault: TestVault
  readonly #actor: TestActor
  readonly #transit: ReturnType<typeof openTransit>['transit']
  readonly #sessions = new Map<QueueName, Promise<Session>>()

  constructor(vault: TestVault, actor: TestActor) {
    const { transit, close } = openTransit(
      { address: vault.stack.transitAddr },
      { roleId: actor.roleId, secretId: () => Promise.resolve(actor.secretId) },
    )
    vault.onClose(close)
    this.#vault = vault
    this.#actor = actor
    this.#transit = transit
  }

  async newSession(queue: QueueName, validUntil = now() + 3_600): Promise<Session> {
    const actor = this.#actor.name
    const aad = sessionAad(queue, actor, validUntil)
    const { plaintext, wrapped } = await this.#transit.dataKey(sessionKeyName(queue, actor), aad)
    return { key: aesKey(plaintext.reveal()), wrapped, until: validUntil }
  }

  /** A genuine request but for the fields given; they are sealed in. */
  async request<Q extends QueueName>(
    queue: Q,
    content: RequestContent,
    fields: Partial<RequestEnvelope> = {},
    session?: Session,
  ): Promise<RawRequest<Q>> {
    const { name: actor } = this.#actor
    const used = session ?? (await this.#session(queue))
    const clear = {
      id: newId(),
      actor,
      until: used.until,
      exp: now() + 60,
      reply: replyQueueName(actor),
      items: typeof content === 'string' ? 1 : content.items.length,
      ...fields,
    }
    const aad = requestAad(queue, clear)
    const body =
      typeof content === 'string' ? seal(used.key, Buffer.from(content), aad) : sealBody(used.key, content, aad)
    const envelope = { v: 1, session: used.wrapped, body: body.toString('base64'), ...clear } as const
    return { queue, envelope, session: used, digest: digestOf(body) }
  }

  /** `data` need not be a request; under the envelope's id and the queue's name unless told. */
  async put(
    { queue, envelope }: RawRequest,
    { data = envelope, name = queue, ...opts }: JobsOptions & { data?: object; name?: string } = {},
  ): Promise<void> {
    await this.queue(queue).add(name, data, { jobId: envelope.id, ...opts })
  }

  /** A job made without BullMQ: any bytes as its hash. */
  async putByHand(queue: QueueName, jobId: string, hash: Record<string, string>): Promise<void> {
    const key = `${this.#vault.prefix}:${queue}`
    await this.#vault.redis
      .multi()
      .hset(`${key}:${jobId}`, { name: queue, timestamp: String(Date.now()), opts: '{}', ...hash })
      .lpush(`${key}:wait`, jobId)
      .zadd(`${key}:marker`, 0, '0')
      .exec()
  }

  /** The sealed reply's content, with the fields that BullMQ and the envelope show. Stays on the queue. */
  async reply(request: RawRequest, withinMs?: number): Promise<unknown> {
    const { queue, envelope, digest } = request
    const job = await this.arrival(envelope.reply, replyJobId(queue, envelope.id, digest), withinMs)
    return this.open(job, request)
  }

  /** What a genuine reply to this request holds; throws for any other. */
  open(job: Job, { session }: RawRequest): unknown {
    const reply = replyEnvelope.parse(job.data)
    const sealed = decodeBase64(reply.body)
    const opened = sealed && openBody(session.key, sealed, replyAad(reply))
    if (opened === undefined || opened === 'not json') throw new Error('this reply does not open')
    return opened.content
  }

  hint({ queue, envelope }: RawRequest): Promise<Job> {
    return this.arrival(envelope.reply, hintJobId(queue, envelope.id))
  }

  arrival(queueName: string, jobId: string, withinMs?: number): Promise<Job> {
    return until(`job ${jobId} on ${queueName}`, () => this.queue(queueName).getJob(jobId), withinMs)
  }

  /** The dead letter of a job. It comes last: when it is there, what its requester is told is there too. */
  async deadLetter(queue: QueueName, jobId: string): Promise<Record<string, unknown>> {
    const name = deadLetterQueueName(queue)
    const id = await until(`a dead letter of ${jobId}`, async () => (await this.deadLetterIds(queue, jobId))[0])
    return (await this.arrival(name, id)).data as Record<string, unknown>
  }

  async deadLetterIds(queue: QueueName, jobId: string): Promise<string[]> {
    const start = `${queue}.${digestOf(Buffer.from(jobId)).slice(0, 16)}.`
    const ids = await this.queue(deadLetterQueueName(queue)).getRanges(['wait'], 0, -1)
    return ids.filter((id) => id.startsWith(start))
  }

  /** The audit of one request, in the order of its items. */
  async audit(requestId: string): Promise<Record<string, unknown>[]> {
    const { rows } = await this.#vault.postgres.query<Record<string, unknown>>(
      'select * from vault.audit where request_id = $1 order by item, at',
      [requestId],
    )
    return rows
  }

  /** Ids of all jobs on a queue. */
  async jobsOn(queueName: string): Promise<string[]> {
    const jobs = await this.queue(queueName).getJobs()
    return jobs.map(({ id }) => id ?? '')
  }

  queue(name: string): Queue {
    return this.#vault.queue(name)
  }

  #session(queue: QueueName): Promise<Session> {
    const session = this.#sessions.get(queue) ?? this.newSession(queue)
    this.#sessions.set(queue, session)
    return session
  }
}
