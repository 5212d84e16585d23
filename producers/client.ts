import { Queue } from 'bullmq'
import pLimit from 'p-limit'
import type { ActorCredentials, QueueConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import * as grammar from '../shared/contract/grammar.ts'
import { replyQueueName } from '../shared/contract/names.ts'
import type { ItemErrorCode } from '../shared/errors/catalogue.ts'
import { ContentRefused, Unavailable } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { Closing } from '../shared/lifecycle/closing.ts'
import type { Logger } from '../shared/log/log.ts'
import { createLogger } from '../shared/log/log.ts'
import { connectQueue } from '../shared/queue/connection.ts'
import type { OpenBaoAddress } from '../shared/transit/http.ts'
import { openTransit } from '../shared/transit/index.ts'
import type { Body } from './exchange.ts'
import { Exchange } from './exchange.ts'
import type { Outcomes } from './open-reply.ts'
import type { Detokenized, Tokenized } from './outcome.ts'
import { failure } from './outcome.ts'
import { ReplyListener } from './reply-listener.ts'
import type { Ticket } from './request.ts'
import { splitIntoRequests } from './request.ts'
import { Sessions } from './sessions.ts'

export interface ClientConfig {
  readonly queue: QueueConfig
  readonly transit: OpenBaoAddress
  readonly credentials: ActorCredentials
  /** A reply queue of its own, `reply-<actor>.<name>`. Without it `reply-<actor>`, which clients of one actor can share. */
  readonly replyName?: string
  readonly log?: Logger
}

export interface RequestOptions {
  /** Why the values are needed: the policy decides by it and the audit keeps it. `[a-z0-9_.-]{1,64}` */
  readonly purpose: string
  /** For the audit: up to 256 characters. */
  readonly reason?: string
  /** The deadline; nothing is processed after it. At most a day, two minutes by default. */
  readonly timeoutMs?: number
  /** Stops the waiting, with its reason. What is on its way is processed all the same. */
  readonly signal?: AbortSignal
}

export interface TokenizeItem {
  readonly field: string
  readonly subject?: string
  readonly value: string
}

const defaultTimeoutMs = 120_000
const longestTimeoutMs = grammar.limits.sessionSeconds * 1_000
const requestsInFlight = 8
const openWithinMs = 5_000
const closeWithinMs = 5_000
/** Larger requests cost less by the item, smaller ones are answered sooner. */
const itemsPerRequest = 200
/** Characters of a token, field or subject: far more than their grammars allow, and less than crowds a request. */
const longestName = 16_384

/**
 * A producer under the identity of one actor. Sessions and their renewal, sealing, splitting, waiting and verifying are
 * inside. Outcomes come in the order of the items, one for each; RequestFailed is thrown only where there are none.
 */
export class Client {
  readonly #exchange: Exchange
  readonly #closing: Closing
  readonly #log: Logger

  constructor(exchange: Exchange, closing: Closing, log: Logger) {
    this.#exchange = exchange
    this.#closing = closing
    this.#log = log
  }

  /** Any number of items; more than one request holds are sent as several, a few at a time. */
  tokenize(items: readonly TokenizeItem[], options: RequestOptions): Promise<Tokenized[]> {
    return this.#ask('tokenize', items, options)
  }

  /** The same. Where values are too large for one reply together, the rest is asked for again. */
  async detok(tokens: readonly string[], options: RequestOptions): Promise<Detokenized[]> {
    const outcomes = await this.#ask(
      'detok',
      tokens.map((token) => ({ token })),
      options,
    )
    const left = [...outcomes.keys()].filter((i) => isTooLarge(outcomes[i]))
    if (left.length === 0 || left.length === tokens.length) return outcomes
    const rest = await this.detok(
      left.map((i) => tokens[i] as string),
      options,
    )
    left.forEach((at, i) => {
      outcomes[at] = rest[i] as Detokenized
    })
    return outcomes
  }

  /** Puts one request of 1 to 1,000 items on the queue. The ticket is plain JSON: it can be kept and collected elsewhere. */
  submit(queue: 'detok', tokens: readonly string[], options: RequestOptions): Promise<Ticket & { queue: 'detok' }>
  submit(
    queue: 'tokenize',
    items: readonly TokenizeItem[],
    options: RequestOptions,
  ): Promise<Ticket & { queue: 'tokenize' }>
  async submit(queue: QueueName, items: readonly (string | TokenizeItem)[], options: RequestOptions): Promise<Ticket> {
    const most = grammar.limits.itemsPerRequest
    if (items.length < 1 || items.length > most)
      throw new RangeError(`a request holds 1 to ${most} items, not ${items.length}`)
    const body = bodyOf(
      items.map((item) => (typeof item === 'string' ? { token: item } : item)),
      options,
    )
    return this.#exchange.submit(queue, body, timeoutOf(options), options.signal)
  }

  /** Waits for a request's answer, also after a restart or in another process of the same actor and reply queue. */
  collect<Q extends QueueName>(ticket: Ticket & { queue: Q }, signal?: AbortSignal): Promise<Outcomes[Q][]> {
    return this.#exchange.collect(ticket, signal)
  }

  close(): Promise<void> {
    return this.#closing.close(closeWithinMs, this.#log)
  }

  async #ask<Q extends QueueName>(queue: Q, items: readonly Item[], options: RequestOptions): Promise<Outcomes[Q][]> {
    const refusals = items.map(unsendable)
    const sendable = items.filter((_, i) => refusals[i] === undefined)
    const bound = pLimit(requestsInFlight)
    const answers = await bound.map(splitIntoRequests(sendable, itemsPerRequest), (part) => {
      options.signal?.throwIfAborted()
      return this.#exchange.ask(queue, bodyOf(part, options), timeoutOf(options), options.signal)
    })
    const outcomes = answers.flat().values()
    return refusals.map((code) => (code === undefined ? outcomes.next().value : failure(code)) as Outcomes[Q])
  }
}

/** Opens a client. Throws UserError where a server does not answer, or refuses the actor's credentials. */
export async function createClient(config: ClientConfig): Promise<Client> {
  const { queue, transit: address, credentials, replyName, log = createLogger('silent', 'client') } = config
  const { actor, roleId, secretId } = credentials
  const closing = new Closing()
  try {
    const { transit, close } = openTransit(address, { roleId, secretId: () => Promise.resolve(secretId) })
    closing.onClose('transit', close)
    const commands = connectQueue(queue.url, log, 'patient')
    closing.onClose('queue connection', () => commands.disconnect())
    const blocking = connectQueue(queue.url, log, 'patient')
    closing.onClose('event connection', () => blocking.disconnect())

    const open = (name: QueueName): Queue => {
      const opened = new Queue(name, { connection: commands, prefix: queue.prefix, skipMetasUpdate: true })
      opened.on('error', (error) => log.debug({ err: error }, 'request queue'))
      closing.onClose(name, () => opened.close())
      return opened
    }
    const replyQueue = replyQueueName(actor, replyName)
    const replies = new ReplyListener(replyQueue, queue.prefix, { commands, blocking }, log)
    closing.onClose('replies', () => replies.close())
    const sessions = new Sessions(transit, actor)
    const requests = { detok: open('detok'), tokenize: open('tokenize') }

    await within(openWithinMs, replies.ready(), redisAdvice(queue.url))
    await sessions.current('detok').catch((error: unknown) => {
      const exitCode = error instanceof UserError ? error.exitCode : undefined
      throw new UserError(transitAdvice(error, address.address, actor), exitCode)
    })
    const closed = new AbortController()
    closing.onClose('waiting calls', () => closed.abort(new UserError('the client was closed while a call waited')))
    const parts = { actor, replyQueue, requests, replies, sessions, closed: closed.signal, log }
    return new Client(new Exchange(parts), closing, log)
  } catch (error) {
    await closing.close(closeWithinMs, log)
    throw error
  }
}

type Item = TokenizeItem | { readonly token: string }

function bodyOf(items: readonly Item[], { purpose, reason }: RequestOptions): Body {
  if (!grammar.purpose.safeParse(purpose).success)
    throw new RangeError('a purpose is 1 to 64 of a to z, 0 to 9, _ . and -')
  if (reason !== undefined && !grammar.reason.safeParse(reason).success) {
    throw new RangeError('a reason has up to 256 characters and no control characters')
  }
  // Which of the two it is follows from the queue it is sent on.
  return { purpose, ...(reason === undefined ? {} : { reason }), items } as Body
}

function timeoutOf({ timeoutMs = defaultTimeoutMs }: RequestOptions): number {
  if (timeoutMs > 0 && timeoutMs <= longestTimeoutMs) return timeoutMs
  throw new RangeError('a timeout is more than 0 and at most 86,400,000 milliseconds, which is a day')
}

/** Why no request could hold this item. All else is for the workers to judge, and to audit. */
function unsendable(item: Item): ItemErrorCode | undefined {
  if ('value' in item && Buffer.byteLength(item.value) > grammar.limits.valueBytes) return 'too_large'
  const names = 'token' in item ? [item.token] : [item.field, item.subject ?? '']
  return names.some(({ length }) => length > longestName) ? 'invalid' : undefined
}

const isTooLarge = (outcome: Detokenized | undefined): boolean => outcome?.ok === false && outcome.code === 'too_large'

async function within(ms: number, work: Promise<void>, otherwise: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new UserError(otherwise)), ms)
  })
  await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

const redisAdvice = (url: string): string =>
  `Redis at ${hostOf(url)} (QUEUE_URL) does not answer: is it running, and are user and password right?`

function transitAdvice(error: unknown, address: string, actor: string): string {
  if (error instanceof UserError) {
    return `OpenBao at ${address} (TRANSIT_ADDR) refuses the credentials of the actor ${actor}: they were revoked, or are not of this OpenBao. \`pii-vault actor add ${actor} --out FILE\` gives new ones.`
  }
  if (error instanceof ContentRefused || (error instanceof Unavailable && error.reason === 'refused our token')) {
    return `OpenBao at ${address} has no session key for the actor ${actor}: make it with \`pii-vault actor add ${actor}\`.`
  }
  return `OpenBao at ${address} (TRANSIT_ADDR) cannot be used: is it running and unsealed?`
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? 'its address'
