import { Command, InvalidArgumentError } from 'commander'
import { formatOf, parseFields } from '../../producers/files/index.ts'
import { createClient } from '../../producers/index.ts'
import { readProducerConfig } from '../../shared/config/environment.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import * as grammar from '../../shared/contract/grammar.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import type { FileReport } from '../convert-file.ts'
import { convertFile } from '../convert-file.ts'
import { producerEnvironment } from '../embedded.ts'
import { failuresFileOf, outputFileOf } from '../file-names.ts'
import { isReadOnce } from '../input-file.ts'
import { interruptible } from '../interrupt.ts'
import { count, say } from '../terminal.ts'
import { helpTexts } from './convert-help.ts'
import { fieldsOption, formatOption } from './options.ts'

interface Options {
  readonly fields?: string[]
  readonly purpose?: string
  readonly reason?: string
  readonly subject?: string
  readonly out?: string
  readonly failures?: string
  readonly format?: string
  readonly delimiter?: string
  readonly encoding?: string
  readonly allowFailures?: boolean
  readonly keepFailed?: boolean
  readonly resume?: boolean
  readonly stack?: boolean
}

/** A file of millions of rows may wait behind others for hours; its requests must not expire meanwhile. */
const deadlineMs = 12 * 3_600_000

const advice = 'Mend it, or go on without such rows by --allow-failures.'

export function convertCommand(direction: QueueName): Command {
  const text = helpTexts[direction]
  const command = new Command(direction)
    .description(text.description)
    .argument('<file>', 'a CSV or NDJSON file, or - for standard input')
    .addOption(
      fieldsOption(`the columns that hold ${text.held}, as column or column=field; can be repeated (required)`),
    )
    .option(
      '--purpose <purpose>',
      `why, such as ${text.purpose}: the policy decides by it and the audit keeps it (required)`,
      checked(grammar.purpose, 'A purpose is 1 to 64 of a to z, 0 to 9, _ . and -.'),
    )
    .option(
      '--reason <text>',
      'for the audit, up to 256 characters',
      checked(grammar.reason, 'A reason has up to 256 characters and no control characters.'),
    )
    .option('--out <file>', 'where the result goes, or - for standard output (default: beside the input)')
    .option('--failures <file>', 'where failures are listed (default: FILE.failed.ndjson)')
    .addOption(formatOption())
    .option('--delimiter <character>', 'of CSV (default: found from the header)')
    .option('--encoding <label>', 'of the input, such as windows-1252 (default: utf-8); the output is UTF-8')
    .option('--allow-failures', 'go on past rows that cannot be read, and exit with 0 even if items failed')
    .option('--keep-failed', text.keepFailed)
    .option('--resume', 'keep what is done if it stops, and go on from there when it is run again')
    .option('--stack', 'on the embedded stack')
    .addHelpText('after', text.after)
  if (direction === 'tokenize')
    command.option('--subject <column>', 'a column that says whom a row is about; it is stored with the values')
  return command.action((file: string, options: Options) => run(direction, file, options))
}

async function run(direction: QueueName, input: string, options: Options): Promise<void> {
  const { fields, purpose } = required(direction, input, options)
  const { reason, subject, delimiter, encoding, allowFailures = false, keepFailed = false } = options
  const format = formatOf(input, options.format)
  const config = readProducerConfig(options.stack ? await producerEnvironment() : process.env)
  const named = (await isReadOnce(input)) ? '-' : input
  const output = options.out ?? outputFileOf(named, direction)
  const failuresFile = options.failures ?? failuresFileOf(named)
  if (options.resume && [named, output].includes('-'))
    throw new UserError(
      '--resume needs files: what comes from or goes to a pipe cannot be gone on with.',
      exitCodes.usage,
    )
  await interruptible(async (signal) => {
    // On the actor's shared reply queue: one for each run would stay in Redis after it.
    const client = await createClient(config)
    try {
      const report = await convertFile(client, {
        input,
        output,
        failuresFile,
        table: { format, columns: fields.map(({ column }) => column), subject, delimiter, encoding },
        conversion: {
          direction,
          fields: fields.map(({ field }) => field),
          request: { purpose, timeoutMs: deadlineMs, signal, ...(reason === undefined ? {} : { reason }) },
          keepFailed,
        },
        resumable: options.resume ? config.credentials.actor : undefined,
        allowFailures,
        advice,
        silent: `Is a worker running? \`pii-vault worker ${direction}${options.stack ? ' --stack' : ''}\` starts one.`,
        signal,
      })
      conclude(report, output, failuresFile, allowFailures)
    } finally {
      await client.close()
    }
  })
}

/** What cannot be guessed, checked at once so that all that is missing is said. */
function required(direction: QueueName, input: string, { fields = [], purpose }: Options) {
  const text = helpTexts[direction]
  const missing = [
    ...(fields.length > 0 ? [] : [`\n  --fields email,phone   the columns of ${input} that hold ${text.held}`]),
    ...(purpose === undefined ? [`\n  --purpose ${text.purpose}       why: the policy decides by it`] : []),
  ]
  if (purpose === undefined || missing.length > 0) {
    const see = `\`pii-vault ${direction} --help\` shows more.`
    throw new UserError(`${direction} also needs to be told, for example:${missing.join('')}\n${see}`, exitCodes.usage)
  }
  return { fields: parseFields(fields), purpose }
}

function conclude(report: FileReport, output: string, list: string, allowed: boolean): void {
  const { rows, items, failed, brokenRows, failuresByCode, seconds, itemsPerSecond } = report
  const where = output === '-' ? '' : ` → ${output}`
  say(
    `${count(rows)} rows, ${count(items)} items in ${seconds.toFixed(1)} s (${count(itemsPerSecond)} items/s)${where}`,
  )
  if (failed === 0) return
  const codes = [...failuresByCode].map(([code, times]) => `${count(times)} ${code}`).join(', ')
  const broken = brokenRows === 0 ? '' : ` Rows that could not be read: ${count(brokenRows)}.`
  const text = `${count(failed)} failed: ${codes}.${broken} Each is listed in ${list}.`
  if (!allowed) throw new UserError(text, exitCodes.failed)
  say(text)
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
