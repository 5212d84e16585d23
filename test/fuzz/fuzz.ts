import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { test } from 'vitest'

/** Another one each time, so that every run looks elsewhere. A failure prints it; `FUZZ_SEED=… npm test test/fuzz` repeats it. */
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31 - 1))

/** A test that holds for thousands of inputs; what needs servers is made within the test. */
export function fuzz<Inputs>(
  name: string,
  property: fc.IRawProperty<Inputs> | (() => Promise<fc.IRawProperty<Inputs>>),
  runs = 5_000,
): void {
  test(`${name} (${runs} inputs)`, { timeout: 60_000 }, async () => {
    console.info(`FUZZ_SEED=${seed}`)
    await fc.assert(typeof property === 'function' ? await property() : property, { seed, numRuns: runs })
  })
}

/** What no error, log line or dead letter may repeat. */
export const canary = 'jane.doe@canary.example'

/** What a hostile or careless sender may put where a string belongs. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    canary,
    `${canary}\n`,
    '__proto__',
    'constructor',
    'null',
    '\0',
    '\ud800',
    '\u202e',
    '{"a":',
    '1e999',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.base64String({ maxLength: 64 }),
)

export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, -0, -1, 0.5, 2 ** 53, Number.MAX_VALUE, [], {}, [[]], { __proto__: null }),
  fc.jsonValue({ maxDepth: 3 }),
)

/**
 * An object with one of its members changed, removed, repeated under another name, or with one more. Never the object
 * itself: what comes out differs as JSON.
 */
export function altered<Whole extends object>(whole: Whole): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.constantFrom(...Object.keys(whole))
  const change = fc.oneof(
    fc.record({ name, value: hostileValue }).map(({ name, value }) => ({ ...whole, [name]: value })),
    name.map((gone) => Object.fromEntries(Object.entries(whole).filter(([each]) => each !== gone))),
    fc.record({ name: hostileText, value: hostileValue }).map(({ name, value }) => withMember(whole, name, value)),
    fc.record({ one: name, other: name }).map(({ one, other }) => ({ ...whole, [one]: memberOf(whole, other) })),
  )
  return change.filter((after) => JSON.stringify(after) !== JSON.stringify(whole))
}

/** As JSON.parse makes it: `__proto__` is a member like any other. */
function withMember(whole: object, name: string, value: unknown): Record<string, unknown> {
  const after: Record<string, unknown> = { ...whole }
  Object.defineProperty(after, name, { value, enumerable: true, writable: true, configurable: true })
  return after
}

const memberOf = (whole: object, name: string): unknown => (whole as Record<string, unknown>)[name]

/** Bytes with one of them changed, some cut off, or some put in. Never the bytes themselves. */
export const damaged = (bytes: Buffer): fc.Arbitrary<Buffer> => {
  const at = fc.nat({ max: Math.max(0, bytes.length - 1) })
  const flipped = fc.record({ at, bits: fc.integer({ min: 1, max: 255 }) }).map(({ at, bits }) => {
    const after = Buffer.from(bytes)
    after[at] = (after[at] ?? 0) ^ bits
    return after
  })
  const cut = at.map((length) => bytes.subarray(0, length))
  const more = fc
    .record({ at, piece: fc.uint8Array({ minLength: 1, maxLength: 8 }) })
    .map(({ at, piece }) => Buffer.concat([bytes.subarray(0, at), piece, bytes.subarray(at)]))
  return fc.oneof(flipped, cut, more)
}
