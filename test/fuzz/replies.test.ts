import fc from 'fast-check'
import { expect } from 'vitest'
import { openReply } from '../../producers/open-reply.ts'
import { RequestFailed } from '../../producers/outcome.ts'
import type { Sessions } from '../../producers/sessions.ts'
import { replyAad } from '../../shared/contract/associated-data.ts'
import type { ReplyEnvelope } from '../../shared/contract/reply.ts'
import { hint } from '../../shared/contract/reply.ts'
import { sealBody } from '../../shared/contract/seal.ts'
import { aesKey } from '../../shared/crypto/aes-gcm.ts'
import { itemErrors, requestErrors } from '../../shared/errors/catalogue.ts'
import { altered, damaged, fuzz, hostileText, hostileValue } from './fuzz.ts'

// What comes by a reply queue: anyone who holds Redis can put anything there.

const key = aesKey(Buffer.alloc(32, 7))
const actor = 'svc-export'
const ticket = {
  queue: 'detok',
  id: '01890000-0000-7000-8000-000000000001',
  items: 2,
  reply: 'reply-svc-export',
  exp: 1_900_000_000,
  request: 'ab'.repeat(32),
} as const
const session = `vault:v1:${Buffer.alloc(60).toString('base64')}`
const until = 1_900_000_000
const sessions = {
  holds: () => true,
  keyOf: async (queue: string, wrapped: string, validUntil: number) =>
    queue === 'detok' && wrapped === session && validUntil === until ? key : undefined,
} as unknown as Sessions

function sealed(content: unknown): ReplyEnvelope {
  const { queue, id, items, request } = ticket
  const clear = { v: 1, id, actor, queue, session, until, request, items, ok: 1, failed: 1 } as const
  return { ...clear, body: sealBody(key, content, replyAad(clear)).toString('base64') }
}
const content = { items: [{ value: 'ann@example.com', mask: 'full' }, { error: 'not_found' }] }
const genuine = sealed(content)

const opened = (data: unknown) => openReply(data, ticket, actor, sessions, 'any session')
async function expectNoAnswer(data: unknown): Promise<void> {
  expect(await opened(data)).toBeUndefined()
}

fuzz('any job is no answer', fc.asyncProperty(hostileValue, expectNoAnswer))

fuzz('a genuine reply with one member altered is no answer', fc.asyncProperty(altered(genuine), expectNoAnswer))

fuzz(
  'a genuine reply with damaged body bytes is no answer',
  fc.asyncProperty(damaged(Buffer.from(genuine.body, 'base64')), (bytes) =>
    expectNoAnswer({ ...genuine, body: bytes.toString('base64') }),
  ),
)

/** The contract's sentence about an outcome, as a second reading of it. */
function isOutcome(said: unknown): boolean {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false
  const { value, mask, error } = said as Record<string, unknown>
  const names = Object.keys(said).sort().join()
  if (names === 'error') return typeof error === 'string' && Object.hasOwn(itemErrors, error)
  const masks: unknown[] = ['full', 'last4', 'email', 'redact']
  return names === 'mask,value' && typeof value === 'string' && masks.includes(mask)
}
function isAnswer(said: unknown): boolean {
  if (typeof said !== 'object' || said === null || Array.isArray(said)) return false
  const { items, error } = said as Record<string, unknown>
  const names = Object.keys(said).join()
  if (names === 'error') return typeof error === 'string' && Object.hasOwn(requestErrors, error)
  return names === 'items' && Array.isArray(items) && items.length === ticket.items && items.every(isOutcome)
}

const contents: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  altered(content),
  hostileText.map((value) => ({ items: [{ value, mask: 'email' }, { error: 'denied' }] })),
  fc.oneof(altered({ value: 'a', mask: 'full' }), altered({ error: 'denied' })).map((item) => ({
    items: [{ error: 'erased' }, item],
  })),
  fc.constantFrom(...Object.keys(requestErrors), ...Object.keys(itemErrors), 'toString').map((error) => ({ error })),
)

fuzz(
  'of what is sealed in genuinely, just what the contract allows is an answer',
  fc.asyncProperty(contents, async (said) => {
    const arrives: unknown = JSON.parse(JSON.stringify(said))
    const answer = await opened(sealed(arrives))
    if (!isAnswer(arrives)) expect(answer).toBeUndefined()
    else if (answer instanceof RequestFailed) expect(arrives).toEqual({ error: answer.code })
    else expect(answer).toHaveLength(ticket.items)
  }),
)

fuzz(
  'a hint is a code of the catalogue and nothing else',
  fc.property(fc.oneof(hostileValue, altered({ code: 'malformed' })), (said) => {
    const arrives: unknown = JSON.parse(JSON.stringify(said))
    const code = hint.safeParse(arrives).data?.code
    if (code !== undefined) {
      expect(Object.hasOwn(requestErrors, code)).toBe(true)
      expect(arrives).toEqual({ code })
    }
  }),
)
