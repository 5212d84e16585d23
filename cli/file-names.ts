import { join, parse } from 'node:path'

/** `customers.csv` → `customers.tokenized.csv`; standard input goes to standard output. */
export function outputFileOf(input: string, direction: 'tokenize' | 'detok'): string {
  if (input === '-') return '-'
  const { dir, name, ext } = parse(input)
  return join(dir, `${name}.${direction === 'tokenize' ? 'tokenized' : 'detokenized'}${ext}`)
}

/** Where the failures of an input are listed. */
export const failuresFileOf = (input: string): string => `${input === '-' ? 'stdin' : input}.failed.ndjson`
