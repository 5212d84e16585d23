import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatOf, parseFields } from '../../../../producers/files/index.ts'
import { UserError } from '../../../../shared/errors/user-error.ts'

describe('--fields', () => {
  test.each([
    [['name,email'], { name: 'name', email: 'email' }],
    [['name', 'email,phone'], { name: 'name', email: 'email', phone: 'phone' }],
    [[' name , email = mail '], { name: 'name', email: 'mail' }],
    [['"a, b"=address,c'], { 'a, b': 'address', c: 'c' }],
    [['"a=b"=x, "say ""hi""" = y'], { 'a=b': 'x', 'say "hi"': 'y' }],
    [['E-Mail'], { 'E-Mail': 'e_mail' }],
    [['"Geb. Datum",Größe,Prénom'], { 'Geb. Datum': 'geb_datum', Größe: 'grosse', Prénom: 'prenom' }],
    [['Vor\u00adname'], { 'Vor\u00adname': 'vorname' }],
    [['2nd=second,""=unnamed'], { '2nd': 'second', '': 'unnamed' }],
    [['__proto__=x'], { ['__proto__']: 'x' }],
    [['" a "=x'], { ' a ': 'x' }],
  ])('%j is read', (values, expected) => {
    expect(parseFields(values).map(({ column, field }) => [column, field])).toEqual(Object.entries(expected))
  })

  test.each([
    [[], /names no column/],
    [[''], /empty item/],
    [['a,,b'], /empty item/],
    [['a,'], /empty item/],
    [['a', 'b,a=c'], /names column "a" twice/],
    [['"a'], /cannot be read from character 1 on/],
    [['a"b'], /cannot be read from character 1 on/],
    [['x,"a"b'], /cannot be read from character 3 on/],
    [['2nd'], /"2nd" makes no field name by itself: give it one, as 2nd=some_field/],
    [['"a, 名"'], /as "a, 名"=some_field/],
    [['Ørsted'], /makes no field name/],
    [['""'], /makes no field name/],
    [['x'.repeat(65)], /makes no field name/],
    [['a=b=c'], /"b=c", given for column "a", is no field name/],
    [['a=B'], /is no field name/],
    [['a='], /"", given for column "a", is no field name/],
  ])('%j is refused', (values, message) => {
    expect(() => parseFields(values)).toThrow(message)
    expect(() => parseFields(values)).toThrow(UserError)
  })

  test('any column can be named in quotes with a field of its own', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'binary' }), { minLength: 1 }), (columns) => {
        const list = columns.map((column, at) => `"${column.replaceAll('"', '""')}"=f${at}`).join(',')
        expect(parseFields([list])).toEqual(columns.map((column, at) => ({ column, field: `f${at}` })))
      }),
    )
  })

  test('any list is read or refused with a UserError, in no time', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '"', ',', '=', ' ', '\n', 'É'), maxLength: 40 }), (list) => {
        try {
          for (const { field } of parseFields([list])) expect(field).toMatch(/^[a-z][a-z0-9_]{0,63}$/)
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
        }
      }),
      { numRuns: 2000 },
    )
    expect(() => parseFields([`"${'""'.repeat(50_000)}`])).toThrow(UserError)
    expect(() => parseFields([`${' '.repeat(50_000)}"`])).toThrow(UserError)
  })
})

describe('the format', () => {
  test.each([
    ['a.csv', 'csv'],
    ['A.CSV', 'csv'],
    ['dir.x/a.tsv', 'csv'],
    ['a.b.ndjson', 'ndjson'],
    ['a.jsonl', 'ndjson'],
  ])('of %s is %s', (path, format) => expect(formatOf(path)).toBe(format))

  test('can be given for any path', () => expect(formatOf('-', 'ndjson')).toBe('ndjson'))

  test.each([
    ['a.xlsx', undefined, /not \.csv, \.tsv, \.ndjson or \.jsonl.*--format/],
    ['-', undefined, /Standard input has no extension.*--format/],
    ['csv', undefined, /--format/],
    ['a.csv', 'xml', /Unknown format "xml"/],
    ['a.constructor', undefined, /--format/],
    ['a.csv', 'toString', /Unknown format/],
  ])('of %s, asked for as %s, is refused', (path, explicit, message) => {
    expect(() => formatOf(path, explicit)).toThrow(message)
  })
})
