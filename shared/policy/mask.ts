import type { Mask } from '../contract/grammar.ts'
import { masks } from '../contract/grammar.ts'

const redacted = '[redacted]'
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })
/** The domain is shown as it is, so it must look like one and be no longer than one can be. */
const email = /^([^\s@]{1,64})@([\p{L}\p{N}\p{M}.-]{1,255})$/u

export function isMask(mask: unknown): mask is Mask {
  return masks.some((known) => known === mask)
}

export function applyMask(mask: Mask, value: string): string {
  switch (mask) {
    case 'full':
      return value
    case 'last4':
      return maskAllButLast4(value)
    case 'email':
      return maskEmail(value)
    case 'redact':
      return redacted
    default:
      return mask satisfies never
  }
}

function maskAllButLast4(value: string): string {
  // Backwards and by lookup: walking all of a 64 KiB value would hold up every other batch.
  const segments = graphemes.segment(value)
  let start = value.length
  let tail = ''
  for (let seen = 1; seen <= 8; seen++) {
    const segment = segments.containing(start - 1)
    if (segment === undefined) return redacted
    start = segment.index
    if (seen === 4) tail = value.slice(start)
  }
  return `****${tail}`
}

function maskEmail(value: string): string {
  const [, local, domain] = email.exec(value) ?? []
  if (local === undefined || domain === undefined) return redacted
  return `${graphemes.segment(local).containing(0)?.segment ?? ''}***@${domain}`
}
