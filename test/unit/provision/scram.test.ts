import { createHash, createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { scramVerifier } from '../../../provision/scram.ts'

/* The example of RFC 7677, section 3: user `user`, password `pencil`. */
const salt = 'W22ZaJ0SNY7soEsUEjb6gQ=='
const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
const authMessage = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=${salt},i=4096,c=biws,r=${nonce}`
const clientProof = 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ='
const serverSignature = '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4='

test('the keys are those with which the example was signed', async () => {
  const verifier = await scramVerifier('pencil', Buffer.from(salt, 'base64'))
  const [method, parameters, keys = ''] = verifier.split('$')
  expect([method, parameters]).toEqual(['SCRAM-SHA-256', `4096:${salt}`])
  const [storedKey = '', serverKey = ''] = keys.split(':').map((key) => Buffer.from(key, 'base64'))
  expect(createHmac('sha256', serverKey).update(authMessage).digest('base64')).toBe(serverSignature)
  // A server takes the proof for genuine if what it gives, with the signature taken off, hashes to StoredKey.
  const clientSignature = createHmac('sha256', storedKey).update(authMessage).digest()
  const clientKey = Buffer.from(clientProof, 'base64').map((byte, i) => byte ^ (clientSignature[i] as number))
  expect(createHash('sha256').update(clientKey).digest()).toEqual(storedKey)
})

test('the salt is another each time', async () => {
  expect(await scramVerifier('pencil')).not.toBe(await scramVerifier('pencil'))
})

test.each(['', 'with space', 'pässword', 'line\n'])('%j would need SASLprep, and is refused', async (password) => {
  await expect(scramVerifier(password)).rejects.toThrow(RangeError)
})
