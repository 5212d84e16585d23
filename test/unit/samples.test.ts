import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'csv-parse/sync'
import { describe, expect, test } from 'vitest'
import { countries } from '../../samples/countries/index.ts'
import { columns } from '../../samples/customer.ts'
import { customersCsv } from '../../samples/customers-csv.ts'
import { defaults } from '../../samples/make-customers.ts'

const run = promisify(execFile)
const script = join(import.meta.dirname, '../../samples/make-customers.ts')
const committed = await readFile(defaults.out, 'utf8')
const [header = [], ...records] = parse(committed) as string[][]

const made = (rows: number, seed: number) => [...customersCsv(rows, seed)].join('')
const column = (name: (typeof columns)[number]) => records.map((record) => record[columns.indexOf(name)] ?? '')
const given = (name: (typeof columns)[number]) => column(name).filter((cell) => cell !== '')

/** Written apart from the generator's own: the whole number at once. */
function leavesOne(iban: string): boolean {
  const digits = [...(iban.slice(4) + iban.slice(0, 4))].map((symbol) => Number.parseInt(symbol, 36)).join('')
  return BigInt(digits) % 97n === 1n
}

/** From the SWIFT IBAN registry. */
const ibanLengths = new Map(
  Object.entries({
    ...{
      AE: 23,
      AT: 20,
      BE: 16,
      BG: 22,
      BR: 29,
      CH: 21,
      CZ: 24,
      DE: 22,
      DK: 18,
      EG: 29,
      ES: 24,
      FI: 18,
      FR: 27,
      GB: 22,
    },
    ...{
      GE: 22,
      GR: 27,
      HU: 28,
      IE: 22,
      IL: 23,
      IS: 26,
      IT: 27,
      NL: 18,
      NO: 15,
      PL: 28,
      PT: 25,
      RO: 24,
      RS: 22,
      SA: 24,
    },
    ...{ SE: 24, TR: 26, UA: 29 },
  }),
)

describe('samples/customers.csv', () => {
  test('is what the generator makes with its defaults', () => {
    expect(made(defaults.rows, defaults.seed) === committed).toBe(true)
  })

  test('has 1,000 rows of 12 cells under one header', () => {
    expect(header).toEqual([...columns])
    expect(records).toHaveLength(1000)
    expect(new Set(records.map((record) => record.length))).toEqual(new Set([12]))
    expect(new Set(column('customer_id')).size).toBe(1000)
  })

  test('has customers of every country, and nothing left unfilled', () => {
    expect(new Set(column('country'))).toEqual(new Set(countries.map(({ code }) => code)))
    for (const name of ['name', 'email', 'phone', 'iban', 'address'] as const) {
      expect(given(name).filter((cell) => /[{}#]|undefined|^\s|\s$/.test(cell))).toEqual([])
    }
  })

  test('has only valid IBANs, of the right length, in countries that have them', () => {
    const wrong = records.filter((_, at) => {
      const [iban = '', country = ''] = [column('iban')[at]?.replaceAll(' ', ''), column('country')[at]]
      return iban !== '' && !(iban.startsWith(country) && iban.length === ibanLengths.get(country) && leavesOne(iban))
    })
    expect(wrong).toEqual([])
    expect(given('iban').length).toBeGreaterThan(500)
  })

  test('has e-mail addresses only where no one can have one', () => {
    const reserved = /^[^@\s]+@(example\.(com|org|net)|[a-z0-9-]+\.example)$/
    expect(given('email').filter((email) => !reserved.test(email))).toEqual([])
  })

  test('has adults with real dates', () => {
    const dates = records.map((_, at) => [column('birth_date')[at] ?? '', column('signup_date')[at] ?? ''] as const)
    for (const [birth, signup] of dates.filter(([birth]) => birth !== '')) {
      const years = (Date.parse(signup) - Date.parse(birth)) / (365.25 * 86_400_000)
      expect(years).toBeGreaterThanOrEqual(18)
      expect(years).toBeLessThan(91)
    }
  })

  test('has what makes real files hard: many scripts, quotes, commas, line breaks, formulas, spaces', () => {
    const scripts = [
      'Latin',
      'Cyrillic',
      'Greek',
      'Arabic',
      'Hebrew',
      'Han',
      'Hiragana',
      'Hangul',
      'Devanagari',
      'Ethiopic',
    ]
    const names = column('name')
    for (const script of scripts)
      expect(names.some((name) => new RegExp(`\\p{Script=${script}}`, 'u').test(name))).toBe(true)
    for (const part of ["'", '’', '-', ', ']) expect(names.some((name) => name.includes(part))).toBe(true)
    for (const part of [', ', '\n', '"']) expect(column('address').some((address) => address.includes(part))).toBe(true)
    for (const note of ['=1+1', '   ', '"', ' starts with a space']) expect(column('notes')).toContain(note)
  })

  test('is UTF-8 without a BOM, has LF only, and quotes only where it must', () => {
    expect(committed.startsWith('customer_id,')).toBe(true)
    expect(committed.isWellFormed() && !committed.includes('\uFFFD') && !committed.includes('\r')).toBe(true)
    const again = [header, ...records].map((record) =>
      record.map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(','),
    )
    expect(`${again.join('\n')}\n` === committed).toBe(true)
  })
})

describe('make-customers', () => {
  test('makes the same bytes of the same seed and others of another', () => {
    expect(made(50, 7)).toBe(made(50, 7))
    expect(made(50, 7)).not.toBe(made(50, 8))
    expect(made(50, 7 + 2 ** 32)).not.toBe(made(50, 7))
  })

  test('begins a longer file as a shorter one', () => {
    expect(made(2000, 1).startsWith(committed)).toBe(true)
  })

  test('writes to standard output as many rows as asked for', async () => {
    const { stdout } = await run(process.execPath, [script, '--rows', '3', '--seed', '9', '--out', '-'])
    expect(stdout).toBe(made(3, 9))
  })

  test('explains itself, and refuses what it does not know', async () => {
    expect((await run(process.execPath, [script, '--help'])).stdout).toMatch(/--rows N[\s\S]*--seed S[\s\S]*--out FILE/)
    for (const args of [['--rows', '-1'], ['--rows', '1e3'], ['--seed', 'x'], ['--sed', '1'], ['more']]) {
      await expect(run(process.execPath, [script, ...args])).rejects.toMatchObject({ code: 2 })
    }
  })
})
