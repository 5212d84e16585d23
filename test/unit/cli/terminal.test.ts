import { execFileSync } from 'node:child_process'
import { expect, test, vi } from 'vitest'
import { failuresFileOf, outputFileOf } from '../../../cli/file-names.ts'
import { pin, say, shellWord, table } from '../../../cli/terminal.ts'

test.each(['plain.csv', 'a b', 'it’s', "it's", '$HOME `x` "y"', 'a\nb', '', '-x', '*'])(
  'a shell reads %j as one word',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text)
  },
)

test('what is said goes above the line that is pinned', () => {
  const written: string[] = []
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    pin({ erase: () => written.push('[erase]'), draw: () => written.push('[draw]') })
    say('one')
    pin(undefined)
    say('two')
  } finally {
    spy.mockRestore()
  }
  expect(written).toEqual(['[erase]', 'one\n', '[draw]', 'two\n'])
})

test('a table has aligned columns, and no spaces at the ends of its lines', () => {
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    table(
      [
        ['', 'name', 'n'],
        ['long cell', 'a', '1,000'],
      ],
      [2],
    )
  } finally {
    spy.mockRestore()
  }
  expect(written.join('')).toBe('           name      n\nlong cell  a     1,000\n')
})

test('names beside the input', () => {
  expect(outputFileOf('data/a.b.csv', 'tokenize')).toBe('data/a.b.tokenized.csv')
  expect(outputFileOf('a.tokenized.ndjson', 'detok')).toBe('a.tokenized.detokenized.ndjson')
  expect(outputFileOf('-', 'detok')).toBe('-')
  expect(failuresFileOf('data/a.csv')).toBe('data/a.csv.failed.ndjson')
  expect(failuresFileOf('-')).toBe('stdin.failed.ndjson')
})
