#!/usr/bin/env node
/** Writes samples/customers.csv, or as many invented customers as are asked for. The same seed gives the same bytes. */
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { customersCsv } from './customers-csv.ts'

const usage = `Usage: node samples/make-customers.ts [options]

Writes invented customers of many countries as CSV.

  --rows N    how many customers (default 1000)
  --seed S    a whole number; the same seed gives the same bytes (default 1)
  --out FILE  where to, - for standard output (default samples/customers.csv)
  --help      this text
`

class UsageError extends Error {}

interface Options {
  readonly rows: number
  readonly seed: number
  readonly out: string
  readonly help: boolean
}

export const defaults: Options = { rows: 1000, seed: 1, out: join(import.meta.dirname, 'customers.csv'), help: false }

function parseOptions(args: string[]): Options {
  const { values } = parse(args)
  return {
    rows: values.rows === undefined ? defaults.rows : wholeNumber('--rows', values.rows),
    seed: values.seed === undefined ? defaults.seed : wholeNumber('--seed', values.seed),
    out: values.out ?? defaults.out,
    help: values.help ?? defaults.help,
  }
}

function parse(args: string[]) {
  try {
    const text = { type: 'string' } as const
    return parseArgs({ args, options: { rows: text, seed: text, out: text, help: { type: 'boolean' } } })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value)) return value
  throw new UsageError(`${option} must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}, not "${text}".`)
}

async function main(args: string[]): Promise<void> {
  const { rows, seed, out, help } = parseOptions(args)
  if (help) {
    process.stdout.write(usage)
    return
  }
  const target = out === '-' ? process.stdout : createWriteStream(out)
  await pipeline(Readable.from(customersCsv(rows, seed)), target)
}

if (import.meta.main) {
  main(process.argv.slice(2)).catch((error: NodeJS.ErrnoException) => {
    // The reader had enough, as in `… --out - | head`.
    if (error.code === 'EPIPE') return
    process.stderr.write(`${error.message}\n${error instanceof UsageError ? `\n${usage}` : ''}`)
    process.exitCode = error instanceof UsageError ? 2 : 1
  })
}
