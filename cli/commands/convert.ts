import { Command, InvalidArgumentError, Option } from 'commander'
import { formatOf, parseFields } from '../../producers/files/index.ts'
import { createClient } from '../../producers/index.ts'
import { readProducerConfig } from '../../shared/config/environment.ts'
import * as grammar from '../../shared/contract/grammar.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import type { FileReport } from '../convert-file.ts'
import { convertFile } from '../convert-file.ts'
import { producerEnvironment } from '../embedded.ts'
import { failuresFileOf, outputFileOf } from '../file-names.ts'
import { interruptible } from '../interrupt.ts'
import { say } from '../terminal.ts'

interface Options {
  readonly fields: string[]
  readonly purpose: string
  readonly reason?: string
  readonly subject?: string
  readonly out?: string
  readonly format?: string
  readonly delimiter?: string
  readonly encoding?: string
  readonly allowFailures?: boolean
  readonly keepFailed?: boolean
  readonly stack?: boolean
}

/** A file of millions of rows may wait behind others for hours; its requests must not expire meanwhile. */
const deadlineMs = 12 * 3_600_000

const descriptions = {
  tokenize: 'replace the values in some columns of a file by tokens',
  detok: 'replace the tokens in some columns of a file by their values',
}

export function convertCommand(direction: 'tokenize' | 'detok'): Command {
  const command = new Command(direction)
    .description(descriptions[direction])
    .argument('<file>', 'a CSV or NDJSON file, or - for standard input')
    .requiredOption(
      '--fields <list>',
      'its columns, as column or column=field, separated by commas; can be repeated',
      collect,
    )
    .requiredOption(
      '--purpose <purpose>',
      'why: the policy decides by it and the audit keeps it',
      checked(grammar.purpose, 'a purpose is 1 to 64 of a to z, 0 to 9, _ . and -'),
    )
    .option(
      '--reason <text>',
      'for the audit, up to 256 characters',
      checked(grammar.reason, 'a reason has up to 256 characters and no control characters'),
    )
    .option('--out <file>', 'where the result goes, or - for standard output (default: beside the input)')
    .addOption(new Option('--format <format>', 'if the extension does not say it').choices(['csv', 'ndjson']))
    .option('--delimiter <character>', 'of CSV (default: found from the header)')
    .option('--encoding <label>', 'of the input, such as windows-1252 (default: utf-8); the output is UTF-8')
    .option('--allow-failures', 'go on past rows that cannot be read, and exit with 0 even if items failed')
    .option(
      '--keep-failed',
      direction === 'tokenize'
        ? 'leave a failed value in its cell instead of emptying it'
        : 'leave a failed token in its cell, which is the default here',
    )
    .option('--stack', 'on the embedded stack')
    .addHelpText('after', help(direction))
  if (direction === 'tokenize')
    command.option('--subject <column>', 'a column that says whom a row is about; it is stored with the values')
  return command.action((file: string, options: Options) => run(direction, file, options))
}

async function run(direction: 'tokenize' | 'detok', input: string, options: Options): Promise<void> {
  const {
    fields: lists,
    purpose,
    reason,
    subject,
    delimiter,
    encoding,
    allowFailures = false,
    keepFailed = false,
  } = options
  const fields = parseFields(lists)
  const format = formatOf(input, options.format)
  const output = options.out ?? outputFileOf(input, direction)
  const config = readProducerConfig(options.stack ? await producerEnvironment() : process.env)
  await interruptible(async (signal) => {
    const client = await createClient({ ...config, replyName: `cli-${process.pid}` })
    try {
      const report = await convertFile(client, {
        input,
        output,
        failuresFile: failuresFileOf(input),
        table: { format, columns: fields.map(({ column }) => column), subject, delimiter, encoding },
        conversion: {
          direction,
          fields: fields.map(({ field }) => field),
          request: { purpose, timeoutMs: deadlineMs, signal, ...(reason === undefined ? {} : { reason }) },
          keepFailed,
        },
        allowFailures,
        signal,
      })
      conclude(report, output, failuresFileOf(input), allowFailures)
    } finally {
      await client.close()
    }
  })
}

function conclude(
  { rows, items, failed, failuresByCode, seconds }: FileReport,
  output: string,
  list: string,
  allowed: boolean,
): void {
  const rate = Math.round(items / seconds).toLocaleString('en')
  say(
    `${rows.toLocaleString('en')} rows, ${items.toLocaleString('en')} items in ${seconds.toFixed(1)} s (${rate} items/s)${output === '-' ? '' : ` → ${output}`}`,
  )
  if (failed === 0) return
  const codes = [...failuresByCode].map(([code, count]) => `${count.toLocaleString('en')} ${code}`).join(', ')
  const text = `${failed.toLocaleString('en')} failed: ${codes}. Each is listed in ${list}.`
  if (!allowed) throw new UserError(text, exitCodes.failed)
  say(text)
}

function collect(value: string, previous: string[] = []): string[] {
  return [...previous, value]
}

function checked(
  schema: { safeParse(value: string): { success: boolean } },
  problem: string,
): (value: string) => string {
  return (value) => {
    if (!schema.safeParse(value).success) throw new InvalidArgumentError(problem)
    return value
  }
}

const help = (direction: 'tokenize' | 'detok') => `
Examples:
  pii-vault ${direction} customers.csv --fields email,phone --purpose ${direction === 'tokenize' ? 'import' : 'export'}
  pii-vault ${direction} people.csv --fields 'E-Mail=email,"Name, full"=name' --purpose demo --out result.csv
  cat events.ndjson | pii-vault ${direction} - --format ndjson --fields email --purpose demo --out - > result.ndjson

Rows keep their order, and other columns their bytes. What failed is listed in FILE.failed.ndjson (row, line, column, code)
and makes the exit code 1, unless --allow-failures.

Environment:
  QUEUE_URL, QUEUE_PREFIX   Redis or Valkey
  TRANSIT_ADDR              OpenBao (or BAO_ADDR, VAULT_ADDR)
  ACTOR_CREDENTIALS_FILE    the file that \`pii-vault actor add NAME --out FILE\` wrote
`
