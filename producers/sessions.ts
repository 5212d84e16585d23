import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { sessionAad } from '../shared/contract/associated-data.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { limits } from '../shared/contract/grammar.ts'
import { sessionKeyName } from '../shared/contract/names.ts'
import { aesKey } from '../shared/crypto/aes-gcm.ts'
import { Unavailable } from '../shared/errors/server-errors.ts'
import type { Transit } from '../shared/transit/index.ts'

export interface Session {
  readonly key: KeyObject
  /** The session key as Transit wrapped it; workers unwrap it. */
  readonly wrapped: string
  /** Unix seconds; nothing under this session is accepted later. */
  readonly until: number
}

/** The session keys of one actor: one in use for each queue, renewed each hour, and those that replies were sealed with. */
export class Sessions {
  readonly #transit: Transit
  readonly #actor: string
  readonly #current = new Map<QueueName, { session: Promise<Session>; renewAt: number }>()
  readonly #keys = new LRUCache<string, KeyObject>({ max: 100 })

  constructor(transit: Transit, actor: string) {
    this.#transit = transit
    this.#actor = actor
  }

  current(queue: QueueName): Promise<Session> {
    const now = Date.now() / 1_000
    const known = this.#current.get(queue)
    if (known !== undefined && now < known.renewAt) return known.session
    const current = { session: this.#start(queue), renewAt: now + limits.sessionUseSeconds }
    this.#current.set(queue, current)
    // A session that could not be had is asked for again by the next who needs it.
    current.session.catch(() => {
      if (this.#current.get(queue) === current) this.#current.delete(queue)
    })
    return current.session
  }

  /** Gives up this session, so that the next request starts another. */
  async renew(queue: QueueName, used: Session): Promise<void> {
    const current = await this.#current.get(queue)?.session.catch(() => undefined)
    if (current === used) this.#current.delete(queue)
  }

  /** True for a session that this client has the key of: one that it got itself, or has unwrapped before. */
  holds(queue: QueueName, wrapped: string, until: number): boolean {
    return this.#keys.has(idOf(queue, wrapped, until))
  }

  /**
   * The key behind a wrapped session; undefined if it is none of this actor's for this queue and time. Throws Unavailable
   * where OpenBao cannot tell now, which says nothing against the reply.
   */
  async keyOf(queue: QueueName, wrapped: string, until: number): Promise<KeyObject | undefined> {
    const id = idOf(queue, wrapped, until)
    const known = this.#keys.get(id)
    if (known !== undefined) return known
    const aad = sessionAad(queue, this.#actor, until)
    const key = await this.#transit.sessionKey(sessionKeyName(queue, this.#actor), wrapped, aad)
    if (key === 'too new') throw new Unavailable('transit', 'server error')
    if (key !== undefined) this.#keys.set(id, key)
    return key
  }

  async #start(queue: QueueName): Promise<Session> {
    const until = Math.floor(Date.now() / 1_000) + limits.sessionSeconds
    const { plaintext, wrapped } = await this.#transit.dataKey(
      sessionKeyName(queue, this.#actor),
      sessionAad(queue, this.#actor, until),
    )
    const key = aesKey(plaintext.reveal())
    plaintext.wipe()
    this.#keys.set(idOf(queue, wrapped, until), key)
    return { key, wrapped, until }
  }
}

const idOf = (queue: QueueName, wrapped: string, until: number): string => `${queue}|${until}|${wrapped}`
