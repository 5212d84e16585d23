import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseDecisions, parseTenant } from '../../../../shared/policy/decision.ts'

const yes = { allow: true, mask: 'full', reason: 'grant batch' }
const denied = (reason: string) => ({ allow: false, reason })

test('a clear yes and a clear no pass, in order', () => {
  const no = { allow: false, reason: 'no grant' }
  expect(parseDecisions([yes, no, { ...yes, mask: 'last4' }], 3)).toEqual([yes, no, { ...yes, mask: 'last4' }])
})

test('members that no one knows are not passed on', () => {
  expect(
    parseDecisions(
      [
        { ...yes, note: 'x' },
        { allow: false, mask: 'full', reason: '' },
      ],
      2,
    ),
  ).toEqual([yes, denied('')])
})

describe('all are denied', () => {
  test.each([
    ['undefined', undefined, 'no decision'],
    ['null', null, 'no decision'],
    ['no list', { 0: yes, 1: yes, length: 2 }, 'malformed decision'],
    ['true', true, 'malformed decision'],
    ['too few', [yes], 'wrong number of decisions'],
    ['too many', [yes, yes, yes], 'wrong number of decisions'],
    ['none', [], 'wrong number of decisions'],
  ])('when the answer is %s', (_, answer, reason) => {
    expect(parseDecisions(answer, 2)).toEqual([denied(reason), denied(reason)])
  })
})

describe('one is denied, and the others go on', () => {
  test.each([
    ['an unknown mask', { ...yes, mask: 'first4' }, 'unknown mask'],
    ['a missing mask', { allow: true, reason: 'x' }, 'unknown mask'],
    ['an inherited name as mask', { ...yes, mask: 'constructor' }, 'unknown mask'],
    ['a mask in a list', { ...yes, mask: ['full'] }, 'unknown mask'],
    ['"true" for true', { ...yes, allow: 'true' }, 'malformed decision'],
    ['1 for true', { ...yes, allow: 1 }, 'malformed decision'],
    ['no allow', { mask: 'full', reason: 'x' }, 'malformed decision'],
    ['no reason', { allow: true, mask: 'full' }, 'malformed decision'],
    ['a reason that quotes a value', { ...yes, reason: 'for ada@example.org' }, 'malformed decision'],
    ['a reason too long', { ...yes, reason: 'x'.repeat(65) }, 'malformed decision'],
    ['a reason of two lines', { ...yes, reason: 'ok\n' }, 'malformed decision'],
    ['a bad reason for a no', { allow: false, reason: 'Ada' }, 'malformed decision'],
    ['a list', [true, 'full', 'x'], 'malformed decision'],
    ['null', null, 'malformed decision'],
    ['a plain yes', true, 'malformed decision'],
  ])('for %s', (_, entry, reason) => {
    expect(parseDecisions([yes, entry, yes], 3)).toEqual([yes, denied(reason), yes])
  })

  test('for a hole in the list', () => {
    const answer: unknown[] = [yes]
    answer.length = 2
    expect(parseDecisions(answer, 2)).toEqual([yes, denied('malformed decision')])
  })
})

test('whatever the answer, there is one decision per question, and a yes only for a yes', () => {
  const entry = fc.oneof(fc.constant(yes), fc.jsonValue(), fc.record({ allow: fc.jsonValue(), mask: fc.jsonValue() }))
  fc.assert(
    fc.property(fc.oneof(fc.array(entry), fc.jsonValue()), fc.nat(5), (answer, count) => {
      const decisions = parseDecisions(answer, count)
      expect(decisions).toHaveLength(count)
      for (const [i, decision] of decisions.entries()) {
        expect(decision.reason).toMatch(/^[a-z0-9_ .-]{0,64}$/)
        if (decision.allow) expect((answer as unknown[])[i]).toEqual(yes)
      }
    }),
  )
})

test('a tenant is a name, or there is none', () => {
  expect(parseTenant('acme')).toBe('acme')
  for (const answer of [
    undefined,
    null,
    '',
    'Acme',
    'a\nb',
    'acme\n',
    'x'.repeat(65),
    ['acme'],
    { tenant: 'acme' },
    7,
  ]) {
    expect(parseTenant(answer)).toBeUndefined()
  }
})
