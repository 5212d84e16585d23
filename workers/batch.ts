import type { KeyObject } from 'node:crypto'
import type { QueueName } from '../shared/contract/grammar.ts'
import type { ItemErrorCode } from '../shared/errors/catalogue.ts'

/** A request whose session opened: there is a key to seal an answer with, which only the actor can open. */
export interface SealedRequest {
  readonly queue: QueueName
  readonly id: string
  readonly actor: string
  readonly session: string
  readonly sessionKey: KeyObject
  readonly until: number
  /** Unix seconds; nothing is unwrapped or stored later than this and the allowance for clocks. */
  readonly exp: number
  readonly reply: string
  readonly itemCount: number
  /** Hex SHA-256 of the body's bytes. */
  readonly digest: string
  /** Which run of the job this is, from 1. */
  readonly attempt: number
}

/** A request whose body opened and kept the contract: who asks is certain, and for what. */
export interface OpenRequest extends SealedRequest {
  /** From the policy's data; undefined: the actor belongs to none, so everything is denied. */
  readonly tenant: string | undefined
  readonly purpose: string
  readonly reason: string | undefined
}

/** What the audit tells of an item, as far as it got. Strings of the caller are here only if they passed their grammar. */
export interface AuditedItem {
  readonly request: OpenRequest
  readonly index: number
  readonly token?: string | undefined
  readonly field?: string | undefined
  readonly subject?: string | undefined
  readonly mask?: string | undefined
  readonly policyRevision?: string | undefined
  readonly kekVersion?: number | undefined
}

/** An item that was decided: it failed, and later stages pass it over. */
export interface Failed<Code extends string = ItemErrorCode> {
  readonly failed: Code
  readonly item: AuditedItem
  /** The audit takes no row of it, so its request must not be answered. */
  readonly unaudited?: true
}
/** An item still on its way, or failed. */
export type Entry<T extends AuditedItem, Code extends string = ItemErrorCode> = { readonly live: T } | Failed<Code>

/** A stage takes the live items of a batch and answers one entry for each, in order. */
export type Stage<From extends AuditedItem, To extends AuditedItem> = (
  items: From[],
) => Promise<Entry<To>[]> | Entry<To>[]

export const live = <T extends AuditedItem>(item: T): { readonly live: T } => ({ live: item })
export const fail = <Code extends string>(item: AuditedItem, code: Code): Failed<Code> => ({ failed: code, item })
export const itemOf = (entry: Entry<AuditedItem, string>): AuditedItem => ('failed' in entry ? entry.item : entry.live)

/** Puts a batch through a stage: failed entries pass by, length and order stay. */
export async function through<From extends AuditedItem, To extends AuditedItem>(
  batch: readonly Entry<From>[],
  stage: Stage<From, To>,
): Promise<Entry<To>[]> {
  const items: From[] = []
  for (const entry of batch) if ('live' in entry) items.push(entry.live)
  const results = items.length === 0 ? [] : await stage(items)
  if (results.length !== items.length)
    throw new Error('a stage answered with another number of items than it was given')
  let next = 0
  return batch.map((entry) => ('failed' in entry ? entry : (results[next++] as Entry<To>)))
}

/** No audit, no answer: throws if an item of the request could not be recorded. */
export function assertAudited(entries: readonly Entry<AuditedItem, string>[]): void {
  if (entries.some((entry) => 'failed' in entry && entry.unaudited)) throw new Error('the audit refuses a row')
}
