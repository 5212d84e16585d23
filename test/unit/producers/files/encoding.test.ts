import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstInvalidByte } from '../../../../producers/files/invalid-byte.ts'
import { readAll, valuesOf, written } from './support.ts'

const csv = (encoding?: string) => ({ format: 'csv', columns: ['b'], encoding }) as const

describe('--encoding', () => {
  test.each(['utf-16le', 'UTF-16', 'shift_jis', 'windows-1252', 'latin1', 'utf8'])(
    '%s in chunks of any size',
    async (label) => {
      const text = label === 'shift_jis' ? 'a,b\r\n1,漢字\r\n' : 'a,b\r\n1,é\r\n'
      const bytes = {
        'utf-16le': Buffer.from(text, 'utf16le'),
        'UTF-16': Buffer.from(`\ufeff${text}`, 'utf16le'),
        shift_jis: Buffer.concat([
          Buffer.from('a,b\r\n1,'),
          Buffer.from([0x8a, 0xbf, 0x8e, 0x9a]),
          Buffer.from('\r\n'),
        ]),
        utf8: Buffer.from(text),
      }[label]
      for (const sizes of [[1], [3], [1000]]) {
        const table = await readAll(bytes ?? Buffer.from(text, 'latin1'), csv(label), sizes)
        expect(valuesOf(table)).toEqual([[label === 'shift_jis' ? '漢字' : 'é']])
        expect(written(table).toString()).toBe((label === 'UTF-16' ? '\ufeff' : '') + text)
      }
    },
  )

  test('an unknown label is refused', async () => {
    await expect(readAll('a,b\n', csv('klingon'))).rejects.toThrow(/Unknown encoding "klingon"/)
  })

  test('bytes that are not in it are refused', async () => {
    const bytes = Buffer.concat([Buffer.from('a,b\n1,2\n3,'), Buffer.from([0x81, 0xff]), Buffer.from('\n')])
    for (const sizes of [[1], [1000]])
      await expect(readAll(bytes, csv('shift_jis'), sizes)).rejects.toThrow(
        /^Line 3 of the file is not valid shift_jis/,
      )
    await expect(readAll(Buffer.from([0x61]), csv('utf-16le'))).rejects.toThrow(
      /^Line 1 of the file is not valid utf-16le/,
    )
  })

  test('a byte order mark that says otherwise is believed', async () => {
    const le = Buffer.from('\ufeffa,b\n1,2\n', 'utf16le')
    for (const sizes of [[1], [1000]]) {
      await expect(readAll(le, csv(), sizes)).rejects.toThrow(/byte order mark of utf-16le: use --encoding utf-16le/)
      await expect(readAll(Buffer.from(le).swap16(), csv(), sizes)).rejects.toThrow(/use --encoding utf-16be/)
      await expect(readAll('\ufeffa,b\n', csv('windows-1252'), sizes)).rejects.toThrow(/of UTF-8.*omit --encoding/)
    }
    expect(valuesOf(await readAll(Buffer.from(le).swap16(), csv('utf-16be')))).toEqual([['2']])
  })
})

test('the first byte that is not UTF-8 is found, wherever it stands', () => {
  const bad = [
    [0xff],
    [0x80],
    [0xc0, 0xaf],
    [0xef],
    [0xef, 0xbf],
    [0xe9, 0x20],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0x91],
    [0xf5],
  ]
  const valid = fc.string({ unit: 'grapheme', maxLength: 10 })
  fc.assert(
    fc.property(valid, fc.constantFrom(...bad), fc.oneof(valid, fc.constant('\ufffd')), (before, bytes, after) => {
      const start = Buffer.from(before)
      expect(firstInvalidByte(Buffer.concat([start, Buffer.from(bytes), Buffer.from(after)]))).toBe(start.length)
    }),
    { numRuns: 2000 },
  )
})
