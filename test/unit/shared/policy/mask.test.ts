import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyMask } from '../../../../shared/policy/mask.ts'

const graphemes = (text: string) => [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment)
const anyText = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.emailAddress())

describe('full', () => {
  test('is the value, to the byte', () => {
    fc.assert(fc.property(anyText, (value) => applyMask('full', value) === value))
  })
})

describe('redact', () => {
  test('says nothing, not even the length', () => {
    fc.assert(fc.property(anyText, (value) => applyMask('redact', value) === '[redacted]'))
  })
})

describe('last4', () => {
  test.each([
    ['+49 170 1234567', '****4567'],
    ['12345678', '****5678'],
    ['1234567', '[redacted]'],
    ['1', '[redacted]'],
    ['', '[redacted]'],
  ])('shows of %j only %j', (value, shown) => {
    expect(applyMask('last4', value)).toBe(shown)
  })

  test.each([
    ['an accent made of two code points', 'Jose\u0301phine', '****hine'],
    ['an accent among the last four', 'Barnabe\u0301es', '****be\u0301es'],
    ['a family, joined of seven code points', `12345${'👨‍👩‍👧‍👦'}abc`, '****👨‍👩‍👧‍👦abc'],
    ['flags, which are pairs', '🇩🇪🇫🇷🇯🇵🇧🇷🇨🇭🇦🇹🇮🇹🇪🇸', '****🇨🇭🇦🇹🇮🇹🇪🇸'],
    ['conjoined Hangul', '\u1112\u1161\u11ab'.repeat(8), `****${'\u1112\u1161\u11ab'.repeat(4)}`],
    ['seven characters of many code points', 'e\u0301'.repeat(7), '[redacted]'],
  ])('counts characters as a reader does: %s', (_, value, shown) => {
    expect(applyMask('last4', value)).toBe(shown)
  })

  test('is four stars and the last four characters, or as redact below eight', () => {
    fc.assert(
      fc.property(anyText, (value) => {
        const characters = graphemes(value)
        const shown = characters.length < 8 ? '[redacted]' : `****${characters.slice(-4).join('')}`
        expect(applyMask('last4', value)).toBe(shown)
      }),
    )
  })

  test('never splits a surrogate pair', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (value) => applyMask('last4', value).isWellFormed()))
  })

  test('of the longest value does not hold up others', () => {
    const value = 'e\u0301'.repeat(20_000)
    // By the processor's time, which a busy machine does not stretch.
    const before = process.threadCpuUsage()
    for (let i = 0; i < 20; i++) applyMask('last4', value)
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(500)
  })
})

describe('email', () => {
  test.each([
    ['ada@example.org', 'a***@example.org'],
    ['a@b', 'a***@b'],
    ['Ünal.x@münchen.example', 'Ü***@münchen.example'],
    ['e\u0301mile@example.org', 'e\u0301***@example.org'],
    ['😀x@example.org', '😀***@example.org'],
  ])('shows of %j only %j', (value, shown) => {
    expect(applyMask('email', value)).toBe(shown)
  })

  test.each([
    ['', 'empty'],
    ['ada', 'no @'],
    ['@example.org', 'no local part'],
    ['ada@', 'no domain'],
    ['a@b@c', 'two @'],
    ['"a@b"@example.org', 'an @ in quotes'],
    ['Ada <ada@example.org>', 'a name before it'],
    ['ada@example.org ', 'a space'],
    ['ada@example.org\n', 'a line break'],
    ['ada@example.org, tel. 030 1234', 'more behind it'],
    [`ada@${'x'.repeat(256)}`, 'a domain longer than one can be'],
  ])('shows nothing of %j: %s', (value) => {
    expect(applyMask('email', value)).toBe('[redacted]')
  })

  test('shows of the local part no more than its first character', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (value) => {
        const [local = '', domain = ''] = value.split('@')
        expect(applyMask('email', value)).toBe(`${local[0]}***@${domain}`)
      }),
    )
  })
})
