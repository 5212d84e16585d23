import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect, onTestFinished } from 'vitest'
import { Unavailable } from '../../shared/errors/server-errors.ts'
import { parseDecisions, parseTenant } from '../../shared/policy/decision.ts'
import { openPolicy } from '../../shared/policy/index.ts'
import { canary as question } from '../../shared/policy/policy.ts'
import { altered, canary, damaged, fuzz, hostileText, hostileValue } from './fuzz.ts'

// What a policy answers: a wrong one, a broken one, or who stands in its place. What is not a clear yes is a no.

const yes = { allow: true, mask: 'full', reason: 'granted' }
const entry: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  altered(yes),
  fc.constant(yes),
  hostileText.map((reason) => ({ ...yes, reason })),
  fc.constantFrom('full', 'last4', 'email', 'redact', 'FULL', 'full ', 'toString').map((mask) => ({ ...yes, mask })),
)
const answers = fc.oneof(
  hostileValue,
  fc.array(entry, { maxLength: 4 }),
  fc.array(entry, { minLength: 3, maxLength: 3 }),
)

/** The design's sentence about an entry, as a second reading of it. */
function isClearYes(said: unknown): boolean {
  if (typeof said !== 'object' || said === null) return false
  const { allow, mask, reason } = said as Record<string, unknown>
  const known: unknown[] = ['full', 'last4', 'email', 'redact']
  return allow === true && known.includes(mask) && typeof reason === 'string' && /^[a-z0-9_ .-]{0,64}$/.test(reason)
}

fuzz(
  'an item is allowed by its own clear yes alone',
  fc.property(answers, (said) => {
    const arrives: unknown = JSON.parse(JSON.stringify(said))
    const decisions = parseDecisions(arrives, 3)
    expect(decisions).toHaveLength(3)
    const whole = Array.isArray(arrives) && arrives.length === 3 ? (arrives as unknown[]) : [null, null, null]
    expect(decisions.map(({ allow }) => allow)).toEqual(whole.map(isClearYes))
    expect(JSON.stringify(decisions)).not.toContain(canary)
  }),
)

fuzz(
  'a tenant is a name, or none',
  fc.property(hostileValue, (said) => {
    const tenant = parseTenant(said)
    if (tenant !== undefined)
      expect(said).toSatisfy((it: unknown) => typeof it === 'string' && /^[a-z0-9_.-]{1,64}$/.test(it))
  }),
)

const good = Buffer.from(
  JSON.stringify({ result: [yes, yes, yes], provenance: { bundles: { vault: { revision: 'r1' } } } }),
)
const bytes = fc.oneof(
  damaged(good),
  hostileText.map((text) => Buffer.from(text)),
  answers.map((result) => Buffer.from(JSON.stringify({ result }))),
  hostileValue.map((provenance) => Buffer.from(JSON.stringify({ result: [yes, yes, yes], provenance }))),
)

fuzz(
  'any bytes of an OPA server under any status are three decisions, or no answer',
  async () => {
    let answer: { status: number; body: Buffer }
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(answer.status).end(answer.body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
    const location = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const policy = await openPolicy({ location, log })
    onTestFinished(async () => {
      await policy.close()
      server.closeAllConnections()
      server.close()
    })
    const status = fc.oneof({ weight: 3, arbitrary: fc.constant(200) }, fc.constantFrom(204, 302, 400, 404, 429, 500))
    return fc.asyncProperty(fc.record({ status, body: bytes }), async (said) => {
      answer = said
      const decided = await policy.decide([question, question, question]).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Unavailable)
        expect(inspect(error, { depth: 9 })).not.toContain(canary)
        return undefined
      })
      if (decided === undefined) return
      expect(decided.decisions).toHaveLength(3)
      expect(decided.revision).toMatch(/^[A-Za-z0-9._+:/-]{1,128}$/)
      expect(JSON.stringify(decided)).not.toContain(canary)
      if (said.status !== 200) expect(decided.decisions.some(({ allow }) => allow)).toBe(false)
    })
  },
  1_000,
)
