import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command, Option } from 'commander'
import { sameTable } from '../../producers/compare.ts'
import { formatOf, parseFields } from '../../producers/files/index.ts'
import { createClient } from '../../producers/index.ts'
import { readProducerConfig, readWorkerConfig } from '../../shared/config/environment.ts'
import type { Environment } from '../../shared/config/reader.ts'
import { queues } from '../../shared/contract/grammar.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import { Closing } from '../../shared/lifecycle/closing.ts'
import { createLogger } from '../../shared/log/log.ts'
import { defaultDirectory, stackStatus, stopStack } from '../../stack/index.ts'
import { Replica } from '../../workers/replica.ts'
import { countAuditRows, producerEnvironment, startEmbeddedStack, workerEnvironment } from '../embedded.ts'
import { interruptible } from '../interrupt.ts'
import type { RoundTrip } from '../round-trip.ts'
import { roundTrip, tableOptions } from '../round-trip.ts'
import { say, table } from '../terminal.ts'

const sample = fileURLToPath(new URL('../../samples/customers.csv', import.meta.url))
const sampleFields = ['name,email,phone,birth_date,iban,address']
const results = join(defaultDirectory, 'results')
const closeWithinMs = 15_000

interface Options {
  readonly fields?: string[]
  readonly format?: string
}

export function startCommand(): Command {
  return new Command('start')
    .description('the whole job, once: start stack and workers, tokenize a file, detokenize the result, compare')
    .argument('[file]', 'a CSV or NDJSON file of your own (default: the sample)')
    .option('--fields <list>', 'its columns, as column or column=field', (value: string, before: string[] = []) => [
      ...before,
      value,
    ])
    .addOption(new Option('--format <format>', 'if the extension does not say it').choices(['csv', 'ndjson']))
    .action((file: string | undefined, options: Options) => interruptible((signal) => start(file, options, signal)))
}

async function start(given: string | undefined, options: Options, signal: AbortSignal): Promise<void> {
  if (given !== undefined && options.fields === undefined) {
    throw new UserError(`say which columns of ${given} hold PII, as --fields email,phone`, exitCodes.usage)
  }
  const file = given ?? sample
  const fields = parseFields(options.fields ?? sampleFields)
  const format = formatOf(file, options.format)
  const log = createLogger('warn', 'start')
  const closing = new Closing()
  try {
    const { services } = await stackStatus(defaultDirectory)
    if (!services.some(({ running }) => running)) closing.onClose('stack', () => stopStack(defaultDirectory))
    await startEmbeddedStack((text) => say(`  ${text}`))
    signal.throwIfAborted()
    const replicas = await startReplicas(closing, log)
    const client = await createClient({
      ...readProducerConfig(await producerEnvironment()),
      replyName: `start-${process.pid}`,
    })
    closing.onClose('client', () => client.close())

    const trip = await roundTrip(client, file, fields, format, results, signal)
    const identical = await sameTable(file, trip.detokenized.file, tableOptions(fields, format))
    report(trip, replicas, await countAuditRows(replicas.map(({ name }) => name)), identical)
    if (!identical) throw new UserError('what came back is not what went in')
    suggest(relative('.', file), options.fields?.join(',') ?? 'email,phone')
  } finally {
    await closing.close(closeWithinMs, log)
  }
}

async function startReplicas(closing: Closing, log: ReturnType<typeof createLogger>): Promise<Replica[]> {
  const replicas: Replica[] = []
  for (const queue of queues) {
    const environment: Environment = await workerEnvironment(queue)
    const config = readWorkerConfig(environment)
    const onFatal = (error: unknown) => log.error({ queue, err: error }, 'the worker cannot go on')
    const replica = await Replica.start({ queue, config, log, onFatal })
    closing.onClose(`worker ${queue}`, () => replica.close(closeWithinMs / 3))
    replicas.push(replica)
  }
  return replicas
}

function report(
  { tokenized, detokenized }: RoundTrip,
  replicas: Replica[],
  auditRows: number,
  identical: boolean,
): void {
  const count = (n: number) => n.toLocaleString('en')
  const rate = ({ items, seconds }: { items: number; seconds: number }) => count(Math.round(items / seconds))
  const [detok, tokenize] = queues.map((queue) => replicas.find((replica) => replica.queue === queue)?.figures)
  const fill = (f: typeof detok) => (f === undefined || f.batches === 0 ? '-' : (f.items / f.batches).toFixed(1))
  process.stdout.write('\n')
  table([
    ['', 'tokenize', 'detok'],
    ['rows', count(tokenized.rows), count(detokenized.rows)],
    ['items', count(tokenized.items), count(detokenized.items)],
    ['failed', count(tokenized.failed), count(detokenized.failed)],
    ['items/s', rate(tokenized), rate(detokenized)],
    ['batches', count(tokenize?.batches ?? 0), count(detok?.batches ?? 0)],
    ['mean fill of 20', fill(tokenize), fill(detok)],
    ['Transit calls', count(tokenize?.transitCalls ?? 0), count(detok?.transitCalls ?? 0)],
  ])
  process.stdout.write(`\naudit rows: ${count(auditRows)}\nidentical: ${identical ? 'yes' : 'no'}\n`)
  process.stdout.write(`results: ${relative('.', tokenized.file)}\n         ${relative('.', detokenized.file)}\n`)
}

function suggest(file: string, fields: string): void {
  process.stdout.write(`
Next, to try:
  npm start -- your.csv --fields ${fields}        the same with a file of yours
  npx pii-vault stack up                             the stack in the background; then, each in a terminal of its own,
  npx pii-vault worker tokenize --stack              a replica of the tokenize pool, and
  npx pii-vault worker detok --stack                 one of the detok pool; and
  npx pii-vault tokenize ${file} --fields ${fields} --purpose import --out tokens.csv --stack
  npx pii-vault --help
`)
}
