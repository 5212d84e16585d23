import { randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecordLabel } from '../../../../shared/crypto/record.ts'
import { openRecord, sealRecord } from '../../../../shared/crypto/record.ts'
import { Secret } from '../../../../shared/crypto/secret.ts'

const dek = randomBytes(32)
const label: RecordLabel = { tenant: 'acme', field: 'email', subject: 'cust-17', token: `tok_${'0'.repeat(26)}` }
const value = fc.string({ unit: 'binary', maxLength: 200 }).filter((text) => text.isWellFormed())

test('any well-formed value comes back byte for byte', () => {
  fc.assert(
    fc.property(value, (text) => {
      expect(openRecord(dek, sealRecord(dek, new Secret(text), label), label)?.reveal()).toBe(text)
    }),
    { numRuns: 300 },
  )
  for (const text of ['', '\0', 'a\0\0', '\u0080', '䀀', 'e\u0301', 'x'.repeat(65_536)]) {
    expect(openRecord(dek, sealRecord(dek, new Secret(text), label), label)?.reveal()).toBe(text)
  }
})

test('the length of a ciphertext tells only in which step of 32 bytes the value lies', () => {
  fc.assert(
    fc.property(fc.nat(300), (length) => {
      const ciphertext = sealRecord(dek, new Secret('x'.repeat(length)), label)
      expect(ciphertext.length).toBe(12 + (Math.floor(length / 32) + 1) * 32 + 16)
    }),
  )
})

test('a ciphertext moved to another row, or a row relabelled, does not open', () => {
  const ciphertext = sealRecord(dek, new Secret('a@example.com'), label)
  const other = { tenant: 'globex', field: 'phone', subject: '', token: `tok_1${'0'.repeat(25)}` }
  for (const member of Object.keys(other) as (keyof RecordLabel)[]) {
    expect(openRecord(dek, ciphertext, { ...label, [member]: other[member] }), member).toBeUndefined()
  }
  expect(openRecord(dek, ciphertext, { ...label, field: label.subject, subject: label.field })).toBeUndefined()
})

test('a wrong, cut or altered key or ciphertext does not open', () => {
  const ciphertext = sealRecord(dek, new Secret('a@example.com'), label)
  expect(openRecord(randomBytes(32), ciphertext, label)).toBeUndefined()
  for (const length of [0, 16, 31]) expect(openRecord(dek.subarray(0, length), ciphertext, label)).toBeUndefined()
  for (let length = 0; length < ciphertext.length; length++) {
    expect(openRecord(dek, ciphertext.subarray(0, length), label)).toBeUndefined()
  }
})

test('the same value sealed twice gives nothing in common', () => {
  const [a, b] = [0, 1].map(() => sealRecord(dek, new Secret('a@example.com'), label).toString('hex'))
  expect(a).not.toBe(b)
})
