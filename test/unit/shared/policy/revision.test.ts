import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareRevisions, revisionGrammar } from '../../../../shared/policy/revision.ts'

test('revisions are ordered number by number', () => {
  const ascending = [
    '1',
    '7',
    '10',
    '10.1',
    '10.2',
    '10.10',
    '2026-11-30',
    '2026-11-30.1',
    '2026-12-01+3f2a9c',
    '20270101',
  ]
  for (const [i, left] of ascending.entries()) {
    for (const [j, right] of ascending.entries()) {
      expect(Math.sign(compareRevisions(left, right)), `${left} and ${right}`).toBe(Math.sign(i - j))
    }
  }
})

test('a label and a missing zero do not count', () => {
  expect(compareRevisions('7+a', '7+b')).toBe(0)
  expect(compareRevisions('7', '7.0')).toBe(0)
})

test.each(['', 'v7', '7.', '.7', '7+', '-7', '7 ', '7\n', 'a'.repeat(40), '1.2.3.4.5.6.7', '1'.repeat(16)])(
  'what cannot be ordered is no revision: %j',
  (revision) => expect(revision).not.toMatch(revisionGrammar),
)

test('the order is one: of two revisions exactly one is newer, or neither both ways', () => {
  const revision = fc.stringMatching(revisionGrammar)
  fc.assert(
    fc.property(revision, revision, (left, right) => {
      expect(Math.sign(compareRevisions(left, right))).toBe(-Math.sign(compareRevisions(right, left)) + 0)
    }),
  )
})
