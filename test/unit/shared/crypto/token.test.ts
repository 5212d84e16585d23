import fc from 'fast-check'
import { expect, test } from 'vitest'
import { token } from '../../../../shared/contract/grammar.ts'
import { mintToken, tokenFromBytes, tokenFromUuid, tokenToUuid } from '../../../../shared/crypto/token.ts'

const sixteen = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((array) => Buffer.from(array))

test('any 128 bits make a token of the grammar, and come back from it as a uuid', () => {
  fc.assert(
    fc.property(sixteen, (bytes) => {
      const made = tokenFromBytes(bytes)
      expect(token.safeParse(made).success, made).toBe(true)
      expect(tokenToUuid(made).replaceAll('-', '')).toBe(bytes.toString('hex'))
      expect(tokenFromUuid(tokenToUuid(made))).toBe(made)
    }),
  )
})

test('every token of the grammar is 128 bits and no other token is the same', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/), (text) => {
      expect(tokenToUuid(text)).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
      expect(tokenFromUuid(tokenToUuid(text))).toBe(text)
    }),
  )
})

test('the ends of the range: 26 digits of zero, and a first digit of 7', () => {
  expect(tokenFromBytes(Buffer.alloc(16))).toBe(`tok_${'0'.repeat(26)}`)
  expect(tokenFromBytes(Buffer.alloc(16, 0xff))).toBe(`tok_7${'z'.repeat(25)}`)
  expect(tokenToUuid(`tok_7${'z'.repeat(25)}`)).toBe('ffffffff-ffff-ffff-ffff-ffffffffffff')
})

test('minted tokens are all different and use every digit at every place', () => {
  const tokens = Array.from({ length: 2_000 }, mintToken)
  expect(new Set(tokens).size).toBe(tokens.length)
  for (let place = 4; place < 30; place++) {
    expect(new Set(tokens.map((text) => text[place])).size, `place ${place}`).toBe(place === 4 ? 8 : 32)
  }
})
