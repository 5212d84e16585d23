import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import { parseBatch } from '../../../../shared/transit/answer.ts'

const answer = (...batch_results: unknown[]) => ({ data: { batch_results } })
const good = (index: number) => ({ plaintext: `p${index}`, reference: String(index) })
const parse = (body: unknown, length: number) => parseBatch(body, 'plaintext', length)

test('each item is read for itself, in order', () => {
  const failed = { error: 'cipher: message authentication failed', plaintext: '', reference: '1' }
  expect(parse(answer(good(0), failed, good(2)), 3)).toEqual([{ ok: 'p0' }, { error: 'rejected' }, { ok: 'p2' }])
})

test('an error is an error beside an empty plaintext; an empty plaintext alone is a value', () => {
  const body = answer(
    { error: 'invalid ciphertext', plaintext: '', reference: '0' },
    { error: '', plaintext: '', reference: '1' },
    { plaintext: '', reference: '2' },
  )
  expect(parse(body, 3)).toEqual([{ error: 'rejected' }, { ok: '' }, { ok: '' }])
})

test('an error is an error beside a plaintext that is not empty', () => {
  expect(parse(answer({ ...good(0), error: 'failed' }), 1)).toEqual([{ error: 'failed' }])
})

test.each([
  ['invalid ciphertext: no prefix', 'rejected'],
  ['cipher: message authentication failed', 'rejected'],
  ['missing ciphertext to decrypt', 'rejected'],
  ['invalid ciphertext: could not be decoded', 'rejected'],
  ['ciphertext or signature version is disallowed by policy (too old)', 'retired'],
  ['invalid ciphertext: version is too new', 'too new'],
  ['something nobody knows', 'failed'],
  ['internal error', 'failed'],
])('%j of one item means %s', (error, meaning) => {
  expect(parse(answer({ error, reference: '0' }), 1)).toEqual([{ error: meaning }])
})

describe('no item is taken for another’s', () => {
  test.each([
    ['too few', answer(good(0))],
    ['too many', answer(good(0), good(1), good(2))],
    ['none', answer()],
    ['a reference of another item', answer(good(0), { ...good(1), reference: '0' })],
    ['references in another order', answer(good(1), good(0))],
    ['no reference', answer(good(0), { plaintext: 'p' })],
    ['an empty reference', answer({ ...good(0), reference: '' }, good(1))],
    ['no plaintext', answer(good(0), { reference: '1' })],
    ['the other member', answer(good(0), { ciphertext: 'vault:v1:x', reference: '1' })],
  ])('%s', (_, body) => {
    expect(() => parse(body, 2)).toThrow(new Unavailable('transit', 'unexpected answer'))
  })
})

describe('what speaks of no item is a refusal of the whole', () => {
  test.each([
    ['nothing', undefined],
    ['null', null],
    ['errors', { errors: ['permission denied'] }],
    ['no results', { data: {} }],
    ['null for results', { data: { batch_results: null } }],
    ['results that are no list', { data: { batch_results: { 0: good(0) } } }],
    ['a plaintext that is no text', answer({ ...good(0), plaintext: 7 })],
    ['a null plaintext', answer({ ...good(0), plaintext: null })],
    ['an error that is no text', answer({ ...good(0), error: {} })],
    ['a hole', answer(null)],
  ])('%s', (_, body) => {
    expect(parse(body, 1)).toBeUndefined()
  })
})

test('whatever the body, there is one result per item, or none at all', () => {
  const item = fc.record(
    { plaintext: fc.string(), ciphertext: fc.string(), error: fc.string(), reference: fc.constantFrom('0', '1', '2') },
    { requiredKeys: [] },
  )
  const body = fc.oneof(
    fc.jsonValue(),
    fc.array(fc.oneof(item, fc.jsonValue())).map((items) => answer(...items)),
  )
  fc.assert(
    fc.property(body, fc.nat(3), (any, length) => {
      try {
        const results = parse(any, length)
        if (results !== undefined) expect(results).toHaveLength(length)
      } catch (error) {
        expect(error).toBeInstanceOf(Unavailable)
      }
    }),
  )
})
