import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../../../shared/contract/grammar.ts'
import {
  bodyCharacters,
  decodeBase64,
  digestOf,
  digestOfEncoded,
  openBody,
  sealBody,
} from '../../../../shared/contract/seal.ts'
import { aesKey, seal } from '../../../../shared/crypto/aes-gcm.ts'

const key = aesKey(randomBytes(32))
const aad = Buffer.from('pii1\nrequest\ndetok')
const wellFormed = fc.string({ unit: 'binary', maxLength: 300 }).filter((text) => text.isWellFormed())

test('what is sealed opens to the same content', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), fc.oneof(wellFormed, fc.integer(), fc.array(wellFormed))),
      (content) => {
        const opened = openBody(key, sealBody(key, content, aad), aad)
        expect(opened).toEqual({ content: JSON.parse(JSON.stringify(content)) })
      },
    ),
  )
})

test('the length of a sealed body tells of its content only how many times 256 bytes it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii', maxLength: 2_000 }), (value) => {
      const json = Buffer.byteLength(JSON.stringify({ value }))
      const plaintext = sealBody(key, { value }, aad).length - 12 - 16
      expect(plaintext % limits.paddingBytes).toBe(0)
      expect(plaintext - json).toBeGreaterThanOrEqual(0)
      expect(plaintext - json).toBeLessThan(limits.paddingBytes)
    }),
  )
})

test('a body opens under its own key and associated data only', () => {
  const sealed = sealBody(key, { a: 1 }, aad)
  expect(openBody(aesKey(randomBytes(32)), sealed, aad)).toBeUndefined()
  expect(openBody(key, sealed, Buffer.concat([aad, Buffer.from('\n')]))).toBeUndefined()
})

test('what opens to no JSON is told apart from what does not open', () => {
  for (const plaintext of ['', 'x', '{', '\ufeff{}', '{}\0', '{"a":NaN}']) {
    expect(openBody(key, seal(key, Buffer.from(plaintext), aad), aad), plaintext).toBe('not json')
  }
  expect(openBody(key, seal(key, Buffer.from('"\xff"', 'latin1'), aad), aad)).toBe('not json')
})

test('base64 is strict: only what encoding gives is decoded', () => {
  const nearly = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9+/]{0,12}={0,3}$/),
    fc.base64String().map((text) => `${text}\n`),
    fc.base64String({ minLength: 1 }).map((text) => text.replaceAll('A', '-')),
  )
  fc.assert(
    fc.property(nearly, (text) => {
      const decoded = decodeBase64(text)
      if (decoded !== undefined) expect(decoded.toString('base64')).toBe(text)
      // Canonical: whole groups of four, and no bits left over.
      const canonical = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/.test(
        text,
      )
      expect(decoded !== undefined).toBe(canonical)
    }),
    { numRuns: 1_000 },
  )
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect(decodeBase64(Buffer.from(bytes).toString('base64'))).toEqual(Buffer.from(bytes))
    }),
  )
})

test('the largest body passes the check by length, and a larger one never decodes to fewer characters', () => {
  expect(Buffer.alloc(limits.bodyBytes).toString('base64').length).toBeLessThanOrEqual(bodyCharacters)
  expect(Buffer.alloc(limits.bodyBytes + 3).toString('base64').length).toBeGreaterThan(bodyCharacters)
})

test('a body digested piece by piece has the digest of its bytes', () => {
  for (const length of [0, 1, 49_151, 49_152, 49_153, 200_000]) {
    const bytes = randomBytes(length)
    expect(digestOfEncoded(bytes.toString('base64'))).toBe(digestOf(bytes))
  }
})
