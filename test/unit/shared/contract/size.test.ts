import { afterEach, expect, test, vi } from 'vitest'
import { requestAad } from '../../../../shared/contract/associated-data.ts'
import { limits } from '../../../../shared/contract/grammar.ts'
import { requestEnvelope } from '../../../../shared/contract/request.ts'
import { bodyCharacters } from '../../../../shared/contract/seal.ts'
import { aesKey, ivBytes, seal, tagBytes } from '../../../../shared/crypto/aes-gcm.ts'
import { judge } from './judge.ts'
import type { Vector } from './vectors.ts'
import { readVectors } from './vectors.ts'

afterEach(() => vi.useRealTimers())

/** A good request whose body has this many bytes, most of them padding: too large to be a file in test/vectors. */
function requestOf(bodyBytes: number): Vector<'request'> {
  const [, vector] = readVectors('request').find(([name]) => name === 'detok-minimal') ?? []
  if (vector === undefined) throw new Error('no such vector')
  vi.useFakeTimers({ now: vector.now * 1_000, toFake: ['Date'] })
  const envelope = requestEnvelope.parse(vector.data)
  const plaintext = Buffer.alloc(bodyBytes - ivBytes - tagBytes, ' ')
  plaintext.write(JSON.stringify(vector.opens_to))
  const sealed = seal(aesKey(Buffer.from(vector.session.plaintext)), plaintext, requestAad('detok', envelope))
  return { ...vector, data: { ...envelope, body: sealed.toString('base64') } }
}

test('a body of 1 MiB is accepted', async () => {
  expect(await judge(requestOf(limits.bodyBytes))).toMatchObject({ verdict: 'accept' })
})

test.each([1, 2, 3, 300_000])('a body of %i bytes more is too_large, in a sealed reply', async (more) => {
  expect(await judge(requestOf(limits.bodyBytes + more))).toEqual({
    verdict: 'refuse',
    code: 'too_large',
    answer: 'sealed',
  })
})

test('a body of too many characters is refused by its length, before anything is decoded', async () => {
  const vector = requestOf(1_000)
  const body = 'A'.repeat(bodyCharacters + 1)
  expect(await judge({ ...vector, data: { ...(vector.data as object), body } })).toMatchObject({ code: 'too_large' })
})
