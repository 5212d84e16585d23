import { relative } from 'node:path'
import type { Format } from '../producers/files/index.ts'
import type { ReplicaFigures } from '../workers/replica.ts'
import { whereTyped } from './file-names.ts'
import type { RoundTrip } from './round-trip.ts'
import { count, shellWord, table } from './terminal.ts'

export interface Results {
  readonly trip: RoundTrip
  readonly figures: { readonly tokenize: ReplicaFigures; readonly detok: ReplicaFigures }
  readonly auditRows: number
  readonly identical: boolean
}

/** The outcome of the whole job, as a table on standard output. */
export function report({ trip: { tokenized, detokenized }, figures, auditRows, identical }: Results): void {
  const { tokenize, detok } = figures
  const fill = ({ items, batches }: ReplicaFigures) => (batches === 0 ? '-' : (items / batches).toFixed(1))
  process.stdout.write('\n')
  table(
    [
      ['', 'tokenize', 'detok'],
      ['rows', count(tokenized.rows), count(detokenized.rows)],
      ['items', count(tokenized.items), count(detokenized.items)],
      ['failed', count(tokenized.failed), count(detokenized.failed)],
      ['items/s', count(tokenized.itemsPerSecond), count(detokenized.itemsPerSecond)],
      ['batches', count(tokenize.batches), count(detok.batches)],
      ['mean fill of 20', fill(tokenize), fill(detok)],
      ['Transit calls', count(tokenize.transitCalls), count(detok.transitCalls)],
      ['audit rows', count(auditRows), ''],
      ['identical', identical ? 'yes' : 'no', ''],
    ],
    [1, 2],
  )
  process.stdout.write(`\nresults:  ${shown(tokenized.file)}\n          ${shown(detokenized.file)}\n`)
  for (const { failed, failuresFile } of [tokenized, detokenized])
    if (failed > 0) process.stdout.write(`failures: ${shown(failuresFile)}\n`)
}

/** Why a result is not what went in, as far as it is known. */
export function difference({ trip: { tokenized, detokenized } }: Results): string {
  const codes = new Set([...tokenized.failuresByCode.keys(), ...detokenized.failuresByCode.keys()])
  return `What came back is not what went in${codes.size === 0 ? '' : `, since items failed: ${[...codes].join(', ')}`}.`
}

export function suggest(file: string, fields: string, format: Format): void {
  const what = `--fields ${shellWord(fields)}`
  const tokens = `tokens.${format}`
  process.stdout.write(`
Next, to try:
  npm start -- FILE --fields email,phone    the same with a file of yours
  npx pii-vault stack up                    the stack in the background; then, each in a terminal of its own,
  npx pii-vault worker tokenize --stack     a replica of the tokenize pool, and
  npx pii-vault worker detok --stack        one of the detok pool; and
  npx pii-vault tokenize ${shellWord(shown(file))} ${what} --purpose import --out ${tokens} --stack
  npx pii-vault detok ${tokens} ${what} --purpose export --stack
  npx pii-vault --help
`)
}

/** As it can be typed, short if it is near. */
function shown(path: string): string {
  const from = relative(whereTyped(), path)
  return from.startsWith('..') ? path : from
}
