import { z } from 'zod'

/** Sizes and times of wire contract version 1. Bytes, seconds or counts, as named. */
export const limits = {
  itemsPerRequest: 1_000,
  /** Decoded bytes of a request's body, and the sum of ciphertexts behind a reply. */
  bodyBytes: 1_048_576,
  valueBytes: 65_536,
  sessionCharacters: 512,
  /** What the clocks of two hosts may differ by. */
  clockSkewSeconds: 120,
  /** `until` lies at most a day ahead. */
  sessionSeconds: 86_400,
  /** A producer starts a new session after this, long before `until`. */
  sessionUseSeconds: 3_600,
  /** Bodies are padded to a multiple of this, so that their length says little. */
  paddingBytes: 256,
} as const

export const queues = ['detok', 'tokenize'] as const
export type QueueName = (typeof queues)[number]

/**
 * How much of a value an actor sees. Characters are graphemes, as a reader counts them: no mask splits a surrogate pair
 * or takes an accent from its letter.
 *
 * - `full`    the value
 * - `last4`   `****` and the last 4 characters; always four stars, so that the length stays unknown.
 *             A value of fewer than 8 characters is shown as `redact`: four of seven would be most of it.
 * - `email`   the first character of the local part, `***@`, the domain. What has another form is shown as `redact`.
 * - `redact`  `[redacted]`, whatever the value
 */
export const masks = ['full', 'last4', 'email', 'redact'] as const
export type Mask = (typeof masks)[number]

// Every pattern is anchored at both ends: a grammar matches the whole string.
export const actorName = z.string().regex(/^[a-z0-9-]{1,64}$/)
export const requestId = z.string().regex(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
export const wrappedKey = z
  .string()
  .max(limits.sessionCharacters)
  .regex(/^vault:v[1-9][0-9]{0,8}:[A-Za-z0-9+/]+={0,2}$/)
export const token = z.string().regex(/^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
export const fieldName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/)
export const purpose = z.string().regex(/^[a-z0-9_.-]{1,64}$/)
export const subject = z.string().regex(/^[!-~]{1,128}$/)
/** Up to 256 characters, no control characters and no lone surrogates. */
export const reason = z.string().regex(/^[^\p{Cc}\p{Cs}]{0,256}$/u)
export const replyQueue = z.string().regex(/^reply-[a-z0-9-]{1,64}(\.[a-z0-9-]{1,64})?$/)
export const unixSeconds = z.int().min(0)
export const base64 = z.string().regex(/^[A-Za-z0-9+/]*={0,2}$/)
export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/)

/** True if `queue` is `reply-<actor>` or `reply-<actor>.<name>`: nobody names another actor's reply queue. */
export function isReplyQueueOf(actor: string, queue: string): boolean {
  return queue === `reply-${actor}` || queue.startsWith(`reply-${actor}.`)
}
