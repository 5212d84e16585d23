import { join, parse } from 'node:path'
import type { QueueName } from '../shared/contract/grammar.ts'

/** `customers.csv` → `customers.tokenized.csv`; standard input goes to standard output. */
export function outputFileOf(input: string, direction: QueueName): string {
  if (input === '-') return '-'
  const { dir, name, ext } = parse(input)
  return join(dir, `${name}.${direction === 'tokenize' ? 'tokenized' : 'detokenized'}${ext}`)
}

/** Where the failures of an input are listed. */
export const failuresFileOf = (input: string): string => `${input === '-' ? 'stdin' : input}.failed.ndjson`

/** Where the person is: `npm start` runs in the package's directory instead. */
export const whereTyped = (): string => (isNpmStart() && process.env['INIT_CWD']) || process.cwd()
const isNpmStart = (): boolean => process.env['npm_lifecycle_event'] === 'start'
