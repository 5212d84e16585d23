import { BundleRejected } from './files.ts'

const maxDepth = 64

/** Parses a JSON file of a bundle: valid UTF-8, and not so deep that a recursive reader of it would overflow. */
export function parseJson(name: string, bytes: Uint8Array): unknown {
  return parseWith(name, bytes, (_key, value) => value)
}

/**
 * The form of a JSON file that OPA hashes for a bundle's signature (its `v1/bundle/hash.go`): no white space, keys
 * sorted by their UTF-8 bytes, numbers as they were written, strings as Go's encoder writes them without HTML escapes.
 */
export function canonicalJson(name: string, bytes: Uint8Array): string {
  return canonical(
    parseWith(name, bytes, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? new NumberAsWritten(source) : value,
    ),
  )
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
// TypeScript does not know the reviver's third argument yet (ES2026).
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown

class NumberAsWritten {
  readonly digits: string
  constructor(digits: string) {
    this.digits = digits
  }
}

function parseWith(name: string, bytes: Uint8Array, reviver: Reviver): unknown {
  let value: unknown
  try {
    value = parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), reviver)
  } catch {
    throw new BundleRejected(`${name} is not JSON in UTF-8`)
  }
  if (isDeeperThan(maxDepth, value)) throw new BundleRejected(`${name} is nested too deeply`)
  return value
}

function isDeeperThan(depth: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(depth - 1, member))
}

function canonical(value: unknown): string {
  if (value instanceof NumberAsWritten) return value.digits
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value === 'string') return canonicalString(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .sort(([left], [right]) => Buffer.compare(Buffer.from(left), Buffer.from(right)))
    .map(([key, member]) => `${canonicalString(key)}:${canonical(member)}`)
  return `{${members.join(',')}}`
}

function canonicalString(text: string): string {
  // Go reads a lone surrogate as U+FFFD, and escapes the two separators that JavaScript once could not have in a string.
  return JSON.stringify(text.toWellFormed()).replace(/[\u2028\u2029]/g, (separator) =>
    separator === '\u2028' ? '\\u2028' : '\\u2029',
  )
}
