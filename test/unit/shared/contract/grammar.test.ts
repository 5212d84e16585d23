import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import * as grammar from '../../../../shared/contract/grammar.ts'
import { mintToken } from '../../../../shared/crypto/token.ts'

const uuid = '01a0c5d8-3d00-7abc-9def-0123456789ab'
const accepts = (schema: z.ZodType, text: unknown): boolean => schema.safeParse(text).success

interface Case {
  readonly schema: z.ZodType
  readonly good: readonly string[]
  readonly bad: readonly string[]
}

const cases: Record<string, Case> = {
  actor: {
    schema: grammar.actorName,
    good: ['a', '-', '0-z', 'a'.repeat(64)],
    bad: ['', 'a'.repeat(65), 'A', 'a_b', 'a.b'],
  },
  'request id': {
    schema: grammar.requestId,
    good: [uuid, uuid.replace('-9', '-8'), uuid.replace('-9', '-b')],
    bad: [
      uuid.toUpperCase(),
      uuid.replace('-7', '-4'),
      uuid.replace('-9', '-c'),
      uuid.replaceAll('-', ''),
      `{${uuid}}`,
      '',
    ],
  },
  'wrapped key': {
    schema: grammar.wrappedKey,
    good: ['vault:v1:AA==', 'vault:v999999999:+/', `vault:v1:${'A'.repeat(503)}`],
    bad: [
      `vault:v1:${'A'.repeat(504)}`,
      'vault:v0:AAAA',
      'vault:v01:AAAA',
      'vault:v1000000000:AAAA',
      'vault:v1:',
      'vault:v1:=A',
      'AAAA',
    ],
  },
  token: {
    schema: grammar.token,
    good: [`tok_7${'z'.repeat(25)}`, `tok_${'0'.repeat(26)}`],
    bad: [
      `tok_8${'0'.repeat(25)}`,
      `tok_${'0'.repeat(25)}`,
      `tok_${'0'.repeat(27)}`,
      `TOK_${'0'.repeat(26)}`,
      `tok_0${'A'.repeat(25)}`,
      ...['i', 'l', 'o', 'u'].map((digit) => `tok_0${digit.repeat(25)}`),
    ],
  },
  field: {
    schema: grammar.fieldName,
    good: ['a', 'e_mail2', `f${'0'.repeat(63)}`],
    bad: ['', '_a', '2a', 'Email', 'e-mail', 'f'.repeat(65)],
  },
  purpose: { schema: grammar.purpose, good: ['a', '_.-0', 'p'.repeat(64)], bad: ['', 'P', 'a b', 'p'.repeat(65)] },
  subject: {
    schema: grammar.subject,
    good: ['!', '~', 'cust-17', 's'.repeat(128)],
    bad: ['', ' ', 'a b', 'é', '\u007f', 's'.repeat(129)],
  },
  'reply queue': {
    schema: grammar.replyQueue,
    good: ['reply-a', `reply-${'a'.repeat(64)}.${'b'.repeat(64)}`],
    bad: [
      'reply-',
      'reply-a.',
      'reply-a.b.c',
      'detok',
      'reply-A',
      `reply-${'a'.repeat(65)}`,
      `reply-a.${'b'.repeat(65)}`,
    ],
  },
  'SHA-256': {
    schema: grammar.sha256Hex,
    good: ['0'.repeat(64)],
    bad: ['0'.repeat(63), '0'.repeat(65), 'A'.repeat(64)],
  },
  base64: { schema: grammar.base64, good: ['', 'AA==', '+/'], bad: ['-_', 'A A', 'A=A', 'A==='] },
}

describe.each(Object.entries(cases))('the grammar of a %s', (_, { schema, good, bad }) => {
  test('holds at its limits and not over them', () => {
    for (const text of good) expect(accepts(schema, text), text).toBe(true)
    for (const text of bad) expect(accepts(schema, text), text).toBe(false)
    for (const other of [undefined, null, 1, true, {}, [good[0]]]) expect(accepts(schema, other)).toBe(false)
  })

  test('matches the whole string: nothing may stand before or after', () => {
    const outside = fc.constantFrom('\n', '\r\n', ' ', '\u2028', '\u0000', '\ufeff', 'é')
    fc.assert(
      fc.property(fc.constantFrom(...good), outside, (text, extra) => {
        expect(accepts(schema, text + extra)).toBe(false)
        expect(accepts(schema, extra + text)).toBe(false)
        expect(accepts(schema, `${text}\n${text}`)).toBe(false)
      }),
    )
  })
})

test('a reason has up to 256 code points, and no control character or lone surrogate', () => {
  const code = fc.integer({ min: 0, max: 0x10ffff })
  fc.assert(
    fc.property(fc.array(code, { maxLength: 300 }), (codes) => {
      const text = String.fromCodePoint(...codes)
      const clean = text.isWellFormed() && codes.every((code) => code > 0x1f && (code < 0x7f || code > 0x9f))
      expect(accepts(grammar.reason, text)).toBe(clean && [...text].length <= 256)
    }),
  )
  expect(accepts(grammar.reason, '👩'.repeat(256))).toBe(true)
  expect(accepts(grammar.reason, '👩'.repeat(257))).toBe(false)
  expect(accepts(grammar.reason, 'a\n')).toBe(false)
  expect(accepts(grammar.reason, '')).toBe(true)
})

test('every minted token keeps the grammar', () => {
  for (let i = 0; i < 1_000; i++) expect(accepts(grammar.token, mintToken())).toBe(true)
})

test('nobody names a reply queue of another actor', () => {
  const name = fc.stringMatching(/^[a-z0-9-]{1,8}$/)
  fc.assert(
    fc.property(name, name, fc.option(name, { nil: undefined }), (actor, other, instance) => {
      const queue = instance === undefined ? `reply-${other}` : `reply-${other}.${instance}`
      expect(grammar.replyQueue.safeParse(queue).success && grammar.isReplyQueueOf(actor, queue)).toBe(actor === other)
    }),
  )
  expect(grammar.isReplyQueueOf('svc', 'reply-svc-2')).toBe(false)
})
