import type { Job } from 'bullmq'
import fc from 'fast-check'
import { expect } from 'vitest'
import { requestAad, sessionAad } from '../../shared/contract/associated-data.ts'
import * as grammar from '../../shared/contract/grammar.ts'
import type { RequestEnvelope } from '../../shared/contract/request.ts'
import { detokBody } from '../../shared/contract/request.ts'
import { sealBody } from '../../shared/contract/seal.ts'
import { aesKey } from '../../shared/crypto/aes-gcm.ts'
import type { Dependencies } from '../../workers/dependencies.ts'
import { createOpen, envelopeOf } from '../../workers/stages/open.ts'
import { altered, canary, damaged, fuzz, hostileText, hostileValue } from './fuzz.ts'

// What comes by the queue: anyone who holds Redis, and every producer, can put anything there.

const key = aesKey(Buffer.alloc(32, 7))
const clear = {
  id: '01890000-0000-7000-8000-000000000001',
  actor: 'svc-export',
  until: Math.floor(Date.now() / 1_000) + 3_600,
  exp: Math.floor(Date.now() / 1_000) + 600,
  reply: 'reply-svc-export',
  items: 2,
}
const session = `vault:v1:${Buffer.alloc(60).toString('base64')}`
const content = { purpose: 'export', reason: 'asked', items: [{ token: 'tok_0' }, { token: 'tok_1' }] }

const sealed = (said: unknown, fields: Partial<typeof clear> = {}): RequestEnvelope => {
  const named = { ...clear, ...fields }
  const body = sealBody(key, said, requestAad('detok', named)).toString('base64')
  return { v: 1, session, body, ...named }
}
const genuine = sealed(content)

/** The stage as a worker has it; the session opens as Transit would open it: under this name and associated data alone. */
const open = createOpen('detok', detokBody, {
  transit: {
    use: (work: (transit: object) => unknown) =>
      work({
        sessionKey: async (name: string, wrapped: string, aad: Buffer) =>
          name === 'queue-detok-svc-export' &&
          wrapped === session &&
          aad.equals(sessionAad('detok', clear.actor, clear.until))
            ? key
            : undefined,
      }),
  },
  policy: { use: (work: (policy: object) => unknown) => work({ tenantOf: async () => 'tenant' }) },
} as unknown as Dependencies)

const jobOf = (data: unknown, over: Partial<Record<'id' | 'name' | 'attemptsStarted', unknown>> = {}) =>
  ({ id: clear.id, name: 'detok', attemptsStarted: 1, data, ...over }) as unknown as Job<unknown>

/** Nothing of it may be plaintext: it goes into audit, log and dead letter. */
async function expectNotOpened(job: Job<unknown>): Promise<void> {
  const result = await open(job)
  expect(result.kind).not.toBe('open')
  if (result.kind !== 'unopened') return
  const { id, actor, reply } = result.claim
  expect(id === undefined || grammar.requestId.safeParse(id).success).toBe(true)
  expect(actor === undefined || grammar.actorName.safeParse(actor).success).toBe(true)
  expect(reply === undefined || grammar.replyQueue.safeParse(reply).success).toBe(true)
  expect(Number.isInteger(result.attempt) && result.attempt >= 1 && result.attempt <= 32_767).toBe(true)
  const kept = JSON.stringify([result.claim, envelopeOf(job.data) ?? null, result.code])
  expect(kept).not.toContain(canary)
  expect(kept).not.toContain(Buffer.from(canary).toString('base64').slice(0, -4))
}

fuzz(
  'any data is refused, and nothing of it is kept that could be a value',
  fc.asyncProperty(fc.oneof(hostileValue, fc.object({ key: hostileText, values: [hostileText] })), (data) =>
    expectNotOpened(jobOf(data)),
  ),
)

fuzz(
  'a genuine request with one member altered does not open',
  fc.asyncProperty(altered(genuine), (data) => expectNotOpened(jobOf(data))),
)

fuzz(
  'a genuine request with damaged body bytes does not open',
  fc.asyncProperty(damaged(Buffer.from(genuine.body, 'base64')), (bytes) =>
    expectNotOpened(jobOf({ ...genuine, body: bytes.toString('base64') })),
  ),
)

fuzz(
  'a genuine request with damaged base64 does not open',
  fc.asyncProperty(damaged(Buffer.from(genuine.body)), (bytes) =>
    expectNotOpened(jobOf({ ...genuine, body: bytes.toString('latin1') })),
  ),
)

fuzz(
  'a body in the clear is not kept',
  fc.asyncProperty(hostileText, hostileText, (before, after) =>
    expectNotOpened(jobOf({ ...genuine, body: Buffer.from(before + canary + after).toString('base64') })),
  ),
)

fuzz(
  'a job that is named, counted or identified otherwise does not open, or opens as what it is',
  fc.asyncProperty(
    fc.record({ id: hostileValue, name: hostileText, attemptsStarted: hostileValue }, { requiredKeys: [] }),
    async (over) => {
      const job = jobOf(genuine, over)
      if (job.id !== clear.id || job.name !== 'detok') return expectNotOpened(job)
      const result = await open(job)
      expect(result).toMatchObject({ kind: 'open', request: { actor: clear.actor, tenant: 'tenant' } })
    },
  ),
)

/** The contract's sentence about a body, as a second reading of it. */
function isBody(said: unknown, items: number): boolean {
  const isObject = (it: unknown): it is Record<string, unknown> =>
    typeof it === 'object' && it !== null && !Array.isArray(it)
  if (!isObject(said) || !Array.isArray(said['items']) || said['items'].length !== items || items === 0) return false
  const { purpose, reason } = said
  const allowed = new Set(['purpose', 'reason', 'items'])
  if (Object.keys(said).some((name) => !allowed.has(name))) return false
  if (typeof purpose !== 'string' || !/^[a-z0-9_.-]{1,64}$/.test(purpose)) return false
  if ('reason' in said && (typeof reason !== 'string' || !isReason(reason))) return false
  return said['items'].every(
    (item) => isObject(item) && Object.keys(item).join() === 'token' && typeof item['token'] === 'string',
  )
}
function isReason(text: string): boolean {
  const points = Array.from(text, (point) => point.codePointAt(0) ?? 0)
  const isControl = (point: number) => point < 0x20 || (point >= 0x7f && point < 0xa0)
  return points.length <= 256 && !points.some((point) => isControl(point) || (point >= 0xd800 && point < 0xe000))
}

const bodies: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  altered(content),
  altered({ token: 'tok_1' }).map((item) => ({ ...content, items: [{ token: 'tok_0' }, item] })),
  fc.array(hostileText, { minLength: 2, maxLength: 2 }).map((tokens) => ({
    ...content,
    items: tokens.map((token) => ({ token })),
  })),
  hostileText.map((reason) => ({ ...content, reason })),
)

fuzz(
  'of what is sealed in genuinely, just what the contract allows opens; the rest is malformed',
  fc.asyncProperty(bodies, async (said) => {
    const arrives: unknown = JSON.parse(JSON.stringify(said))
    const result = await open(jobOf(sealed(arrives)))
    if (isBody(arrives, clear.items)) expect(result).toMatchObject({ kind: 'open', body: arrives })
    else expect(result).toMatchObject({ kind: 'refused', code: 'malformed', actorIsCertain: true })
  }),
)
