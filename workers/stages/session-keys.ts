import type { KeyObject } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { sessionAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { sessionKeyName } from '../../shared/contract/names.ts'
import { ContentRefused, ContentSuspected } from '../../shared/errors/server-errors.ts'
import type { Dependencies } from '../dependencies.ts'

export interface SessionClaim {
  readonly actor: string
  readonly session: string
  readonly until: number
}

export type SessionKeys = (claim: SessionClaim) => Promise<KeyObject | undefined>

/**
 * Unwraps session keys, and keeps them for 60 seconds from the unwrap, never extended by use: so a revoked actor is out
 * within 61. The cache key holds everything the unwrap depends on, or B's live session sent under A's name would be
 * answered from A's entry. DEKs are never kept.
 */
export function createSessionKeys(queue: QueueName, { transit }: Dependencies): SessionKeys {
  const cache = new LRUCache<string, Promise<KeyObject | undefined>>({ max: 10_000, ttl: 60_000 })

  async function unwrap({ actor, session, until }: SessionClaim): Promise<KeyObject | undefined> {
    const [name, aad] = [sessionKeyName(queue, actor), sessionAad(queue, actor, until)]
    try {
      const key = await transit.use((it) => it.sessionKey(name, session, aad))
      // The requester is told to renew its session, and by then every node knows the version, if there is one.
      return key === 'too new' ? undefined : key
    } catch (error) {
      // No such key: nobody of this name may use this queue.
      if (error instanceof ContentRefused && !(error instanceof ContentSuspected)) return undefined
      throw error
    }
  }

  return (claim) => {
    const id = `${queue}|${claim.actor}|${claim.until}|${claim.session}`
    const known = cache.get(id)
    if (known !== undefined) return known
    const key = unwrap(claim)
    cache.set(id, key)
    const forget = () => {
      if (cache.peek(id) === key) cache.delete(id)
    }
    // Only a key that opened is kept: a refusal may be a matter of moments (a version that is too new for a standby).
    key.then((opened) => opened === undefined && forget(), forget)
    return key
  }
}
