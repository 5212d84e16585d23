import { basename, join } from 'node:path'
import { itemsPerRequest } from '../../../producers/limits.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import type { Bench } from '../../bench.ts'
import { recordsOf } from '../../load/backlog.ts'
import type { CliRun } from '../../load/command-line.ts'
import { runCli, startCliWorker } from '../../load/command-line.ts'
import { measureDrain } from '../../load/drain.ts'
import { producerEnvironment, temporaryDirectory } from '../../load/producer-environment.ts'
import { assertSame, repeatRows, writeCustomers } from './files.ts'

/** The named column. */
export const column = 'email'
/** A file of tokens holds its rows so many times: tokens are cheaper made once. */
export const copies = 5

export interface Sizes {
  /** Of the file that is tokenized; its tokens, `copies` times, are what is exported. */
  readonly few: number
  readonly many: number
  readonly drains: number
  /** Of a backlog, with nobody but the workers to serve. */
  readonly backlogItems: number
}

export const sizesOf = ({ quick }: Bench): Sizes =>
  quick
    ? { few: 400, many: 4_000, drains: 1, backlogItems: 10_000 }
    : { few: 20_000, many: 200_000, drains: 3, backlogItems: 40_000 }

export type Extent = 'few' | 'many'

export interface Measurements {
  readonly tokenize: Readonly<Record<Extent, CliRun>>
  readonly detok: Readonly<Record<Extent, CliRun>>
  /** Items a second from backlogs of the CLI's requests, before and after each export. */
  readonly composed: Readonly<Record<Extent, readonly number[]>>
}

/** Both directions, few rows and many, each with a worker that was just started, so that its peak is of that run alone. */
export async function measure(bench: Bench): Promise<Measurements> {
  const sizes = sizesOf(bench)
  await bench.tokens(recordsOf(bench))
  const directory = await temporaryDirectory(bench.vault)
  const env = await producerEnvironment(bench.vault, await bench.vault.actor('export'), directory)
  const files = { few: filesIn(directory, 'few'), many: filesIn(directory, 'many') }
  const convert = (queue: QueueName, from: string, to: string) => convertFile(bench, env, queue, from, to)

  const tokenizeRows = async (extent: Extent): Promise<CliRun> => {
    const { values, tokens, valuesRepeated, tokensRepeated } = files[extent]
    await writeCustomers(values, sizes[extent])
    const run = await convert('tokenize', values, tokens)
    await repeatRows(values, valuesRepeated, copies)
    await repeatRows(tokens, tokensRepeated, copies)
    return run
  }
  const exportRows = async (extent: Extent): Promise<CliRun> => {
    const { tokensRepeated, valuesRepeated, exported } = files[extent]
    const run = await convert('detok', tokensRepeated, exported)
    await assertSame(valuesRepeated, exported)
    return run
  }

  const tokenize = { few: await tokenizeRows('few'), many: await tokenizeRows('many') }
  const before = await drainBacklogs(bench, sizes)
  const few = await exportRows('few')
  const between = await drainBacklogs(bench, sizes)
  const many = await exportRows('many')
  const after = await drainBacklogs(bench, sizes)
  return {
    tokenize,
    detok: { few, many },
    composed: { few: [...before, ...between], many: [...between, ...after] },
  }
}

/** The tokenized file, and the exported one, which is its tokens several times. */
const filesIn = (directory: string, extent: Extent) => {
  const file = (name: string) => join(directory, `${extent}-${name}.csv`)
  return {
    values: file('values'),
    tokens: file('tokens'),
    valuesRepeated: file('values-repeated'),
    tokensRepeated: file('tokens-repeated'),
    exported: file('exported'),
  }
}

const purpose = { tokenize: 'import', detok: 'export' }

async function convertFile(
  bench: Bench,
  env: Record<string, string>,
  queue: QueueName,
  from: string,
  to: string,
): Promise<CliRun> {
  bench.step(`export: pii-vault ${queue} ${basename(from)}`)
  const worker = await startCliWorker(bench.vault, queue)
  const args = [queue, from, '--fields', column, '--purpose', purpose[queue], '--out', to]
  const run = await runCli(bench.vault, args, env, { worker: worker.pid })
  await worker.stop()
  return run
}

/** What a worker carries for nobody in particular. Rates in items a second. */
async function drainBacklogs(bench: Bench, { drains, backlogItems }: Sizes): Promise<number[]> {
  bench.step(`export: ${drains} backlogs of jobs of ${itemsPerRequest}`)
  const worker = await bench.worker('detok')
  const drain = (items: number) => measureDrain(bench, worker, { queue: 'detok', jobItems: itemsPerRequest, items })
  await drain(backlogItems / 4)
  const rates: number[] = []
  for (let drained = 0; drained < drains; drained++) rates.push((await drain(backlogItems)).itemsPerS)
  await worker.stop()
  return rates
}
