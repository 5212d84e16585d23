import { isDeepStrictEqual } from 'node:util'
import { replyAad } from '../../shared/contract/associated-data.ts'
import { replyQueueName } from '../../shared/contract/names.ts'
import { detokReplyBody, replyEnvelope } from '../../shared/contract/reply.ts'
import { decodeBase64, openBody } from '../../shared/contract/seal.ts'
import type { RawRequest } from '../../test/harness/raw-producer.ts'
import { now } from '../../test/harness/raw-producer.ts'
import type { Bench } from '../bench.ts'
import { recordsOf } from '../load/backlog.ts'
import { valueItem } from '../load/items.ts'
import type { TakenRequest } from './handler.ts'

const validSeconds = 3_000

/** Sealed requests for records that are there, and what their answers must hold. Whoever is compared gets the like. */
export class Requests {
  readonly items: number
  readonly reply: string
  readonly #bench: Bench
  /** By the request's id. */
  readonly #sealed = new Map<string, { readonly request: RawRequest; readonly values: readonly string[] }>()

  static async seal(bench: Bench, jobItems: number, items: number): Promise<Requests> {
    const requests = new Requests(bench, items)
    const tokens = await bench.tokens(recordsOf(bench))
    const session = await bench.producer.newSession('detok')
    for (let first = 0; first < items; first += jobItems) {
      const places = Array.from({ length: jobItems }, (_, i) => (first + i) % tokens.length)
      const content = { purpose: 'bench', items: places.map((place) => ({ token: tokens[place] })) }
      const fields = { reply: requests.reply, exp: now() + validSeconds }
      const request = await bench.producer.request('detok', content, fields, session)
      const values = places.map((place) => valueItem(place).value)
      requests.#sealed.set(request.envelope.id, { request, values })
    }
    return requests
  }

  private constructor(bench: Bench, items: number) {
    this.#bench = bench
    this.items = items
    this.reply = replyQueueName(bench.actor.name, 'compare')
  }

  get jobs(): number {
    return this.#sealed.size
  }

  get taken(): TakenRequest[] {
    return Array.from(this.#sealed, ([id, { request }]) => ({ id, data: request.envelope }))
  }

  /** Throws unless each request has one reply, which opens and holds its values, and each item its row in the audit. */
  async verify(replies: readonly unknown[]): Promise<void> {
    const answered = new Set(
      replies.filter((reply) => this.#isRight(reply)).map((reply) => replyEnvelope.parse(reply).id),
    )
    if (answered.size !== this.jobs || replies.length !== this.jobs)
      throw new Error(`of ${this.jobs} requests, ${answered.size} were answered well, by ${replies.length} replies`)
    const { rows } = await this.#bench.vault.postgres.query<{ audited: number }>(
      `select count(distinct (request_id, item))::int as audited from vault.audit
       where outcome = 'ok' and at > now() - interval '10 minutes' and request_id = any($1::uuid[])`,
      [[...this.#sealed.keys()]],
    )
    if (rows[0]?.audited !== this.items) throw new Error(`of ${this.items} items, ${rows[0]?.audited} are in the audit`)
  }

  #isRight(content: unknown): boolean {
    const reply = replyEnvelope.parse(content)
    const sealed = this.#sealed.get(reply.id)
    const body = decodeBase64(reply.body)
    if (sealed === undefined || body === undefined || reply.request !== sealed.request.digest) return false
    const opened = openBody(sealed.request.session.key, body, replyAad(reply))
    if (opened === undefined || opened === 'not json') return false
    const items = sealed.values.map((value) => ({ value, mask: 'full' }))
    return isDeepStrictEqual(detokReplyBody.parse(opened.content), { items })
  }
}
