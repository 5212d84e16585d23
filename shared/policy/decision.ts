import type { Mask } from '../contract/grammar.ts'
import { isMask } from './mask.ts'

export type Decision =
  | { readonly allow: true; readonly mask: Mask; readonly reason: string }
  | { readonly allow: false; readonly reason: string }

/**
 * Why an item is denied that the policy gave no clear answer for. These and the policy's own reasons, which pass
 * `reasonGrammar`, go into the audit; no other text of an evaluator does, since evaluators quote their input.
 */
export const denials = {
  undefined: 'no decision',
  wrongLength: 'wrong number of decisions',
  malformed: 'malformed decision',
  unknownMask: 'unknown mask',
  failed: 'evaluation failed',
} as const

const reasonGrammar = /^[a-z0-9_ .-]{0,64}$/
const tenantGrammar = /^[a-z0-9_.-]{1,64}$/

/** Turns whatever an evaluator answered into one decision per question. What is not a clear yes is a no. */
export function parseDecisions(answer: unknown, count: number): Decision[] {
  if (answer === undefined || answer === null) return denyAll(denials.undefined, count)
  if (!Array.isArray(answer)) return denyAll(denials.malformed, count)
  if (answer.length !== count) return denyAll(denials.wrongLength, count)
  return Array.from(answer, parseDecision)
}

export function denyAll(reason: string, count: number): Decision[] {
  return Array.from({ length: count }, () => ({ allow: false, reason }))
}

export function parseTenant(answer: unknown): string | undefined {
  return typeof answer === 'string' && tenantGrammar.test(answer) ? answer : undefined
}

function parseDecision(entry: unknown): Decision {
  if (typeof entry !== 'object' || entry === null) return { allow: false, reason: denials.malformed }
  const { allow, mask, reason } = entry as Readonly<Record<string, unknown>>
  if (typeof allow !== 'boolean' || typeof reason !== 'string' || !reasonGrammar.test(reason)) {
    return { allow: false, reason: denials.malformed }
  }
  if (!allow) return { allow, reason }
  return isMask(mask) ? { allow, mask, reason } : { allow: false, reason: denials.unknownMask }
}
