import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { sameTable } from '../../producers/compare.ts'
import { formatOf, parseFields } from '../../producers/files/index.ts'
import { createClient } from '../../producers/index.ts'
import { readProducerConfig, readWorkerConfig } from '../../shared/config/environment.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import { Closing } from '../../shared/lifecycle/closing.ts'
import type { Logger } from '../../shared/log/log.ts'
import { createLogger } from '../../shared/log/log.ts'
import { defaultDirectory, stackStatus, stopStack } from '../../stack/index.ts'
import { Replica } from '../../workers/replica.ts'
import { countAuditRows } from '../audit-rows.ts'
import { acceptedRows } from '../convert-file.ts'
import { producerEnvironment, startEmbeddedStack, workerEnvironment } from '../embedded.ts'
import { whereTyped } from '../file-names.ts'
import { InputFile, isReadOnce } from '../input-file.ts'
import { interruptible } from '../interrupt.ts'
import { roundTrip, strict, tableOptions } from '../round-trip.ts'
import { difference, report, suggest } from '../start-report.ts'
import { say } from '../terminal.ts'
import { fieldsOption, formatOption } from './options.ts'

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
    .addOption(fieldsOption('its columns that hold PII, as column or column=field'))
    .addOption(formatOption())
    .action((file: string | undefined, options: Options) => interruptible((signal) => start(file, options, signal)))
}

/** So that workers that run already do not take part, and the figures tell of all that was done. */
const ownQueues = { QUEUE_PREFIX: 'start' }

async function start(given: string | undefined, options: Options, interrupted: AbortSignal): Promise<void> {
  if (given !== undefined && options.fields === undefined)
    throw new UserError(`Say which columns of ${given} hold PII, as --fields email,phone.`, exitCodes.usage)
  const file = given === undefined ? sample : resolve(whereTyped(), given)
  const fields = parseFields(options.fields ?? sampleFields)
  const format = formatOf(file, options.format)
  const closing = new Closing()
  const broken = new AbortController()
  const signal = AbortSignal.any([interrupted, broken.signal])
  // Below the lines of the log, the progress bar goes on.
  const log = createLogger('warn', 'start', { write: (line) => say(line.trimEnd()) })
  try {
    if (await isReadOnce(file)) throw new UserError(`${file} is no regular file, and it is read more than once.`)
    // What is wrong with it is said before the long wait.
    acceptedRows({ input: file, ...strict }, await new InputFile(file, tableOptions(fields, format), signal).scan())
    const { services } = await stackStatus(defaultDirectory)
    if (!services.some(({ running }) => running)) closing.onClose('stack', () => stopStack(defaultDirectory))
    const { addresses } = await startEmbeddedStack((text) => say(`  ${text}`))
    signal.throwIfAborted()
    const replicas = {
      tokenize: await startReplica('tokenize', closing, broken, log),
      detok: await startReplica('detok', closing, broken, log),
    }
    const client = await createClient({
      ...readProducerConfig({ ...(await producerEnvironment()), ...ownQueues }),
      log,
    })
    closing.onClose('client', () => client.close())

    const trip = await roundTrip(client, file, fields, format, results, signal)
    const { tokenize, detok } = replicas
    const outcome = {
      trip,
      figures: { tokenize: tokenize.figures, detok: detok.figures },
      auditRows: await countAuditRows(addresses.databaseUrl, [tokenize.name, detok.name]),
      identical: await sameTable(file, trip.detokenized.file, tableOptions(fields, format)),
    }
    report(outcome)
    if (!outcome.identical) throw new UserError(difference(outcome))
    suggest(file, (options.fields ?? ['email,phone']).join(','), format)
  } catch (error) {
    throw broken.signal.aborted ? broken.signal.reason : error
  } finally {
    await closing.close(closeWithinMs, log)
  }
}

async function startReplica(
  queue: QueueName,
  closing: Closing,
  broken: AbortController,
  log: Logger,
): Promise<Replica> {
  const config = readWorkerConfig({ ...(await workerEnvironment(queue)), ...ownQueues })
  const replica = await Replica.start({ queue, config, log, onFatal: (error) => broken.abort(error) })
  closing.onClose(`worker ${queue}`, () => replica.close(closeWithinMs / 3))
  return replica
}
