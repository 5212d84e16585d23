import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aesKey, ivBytes, open, seal, tagBytes } from '../../../../shared/crypto/aes-gcm.ts'

const key = aesKey(randomBytes(32))
const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array))

test('what is sealed opens to the same bytes, and is longer by iv and tag', () => {
  fc.assert(
    fc.property(bytes, bytes, (plaintext, aad) => {
      const sealed = seal(key, plaintext, aad)
      expect(sealed.length).toBe(ivBytes + plaintext.length + tagBytes)
      expect(open(key, sealed, aad)).toEqual(plaintext)
    }),
  )
})

test('every single flipped bit is refused: in iv, ciphertext, tag and associated data', () => {
  const aad = Buffer.from('pii1\nrequest')
  const sealed = seal(key, Buffer.from('{"items":[]}'), aad)
  const flipped = (original: Buffer, bit: number): Buffer => {
    const copy = Buffer.from(original)
    copy[bit >> 3] = (copy[bit >> 3] as number) ^ (1 << (bit & 7))
    return copy
  }
  for (let bit = 0; bit < sealed.length * 8; bit++) expect(open(key, flipped(sealed, bit), aad)).toBeUndefined()
  for (let bit = 0; bit < aad.length * 8; bit++) expect(open(key, sealed, flipped(aad, bit))).toBeUndefined()
})

test('every shorter or longer form of sealed bytes is refused, a cut tag included', () => {
  const aad = Buffer.alloc(0)
  const sealed = seal(key, randomBytes(40), aad)
  for (let length = 0; length < sealed.length; length++) {
    expect(open(key, sealed.subarray(0, length), aad)).toBeUndefined()
    expect(open(key, sealed.subarray(sealed.length - length), aad)).toBeUndefined()
  }
  expect(open(key, Buffer.concat([sealed, Buffer.alloc(1)]), aad)).toBeUndefined()
})

test('another key opens nothing', () => {
  const aad = Buffer.from('aad')
  expect(open(aesKey(randomBytes(32)), seal(key, Buffer.from('x'), aad), aad)).toBeUndefined()
})

test('no iv comes twice, also where blocks of random bytes meet', () => {
  const ivs = Array.from({ length: 1_000 }, () =>
    seal(key, Buffer.alloc(0), Buffer.alloc(0)).toString('hex', 0, ivBytes),
  )
  expect(new Set(ivs).size).toBe(ivs.length)
})

test('a key has 32 bytes, and the error of another length does not show it', () => {
  for (const length of [0, 16, 31, 33]) {
    const wrong = Buffer.alloc(length, 'k')
    expect(() => aesKey(wrong)).toThrow(new RangeError(`an AES-256 key has 32 bytes, not ${length}`))
  }
})
