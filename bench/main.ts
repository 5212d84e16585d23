import { Argument, Command } from 'commander'
import { interruptible } from '../cli/interrupt.ts'
import { say } from '../cli/terminal.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { Bench } from './bench.ts'
import type { Machine } from './measure/machine.ts'
import { describeMachine, machineText } from './measure/machine.ts'
import { writeResults } from './report/results.ts'
import { scorecardText, suiteText } from './report/text.ts'
import { verdictsOn } from './report/verdicts.ts'
import type { Suite, SuiteResult } from './suite.ts'
import { suites } from './suites/index.ts'

interface Options {
  readonly quick?: boolean
  readonly json?: string
}

const usualFile = 'bench/results/latest.json'
const names = suites.map(({ name }) => name)

const program = new Command('bench')
  .description(
    'Measures what the README says of speed, on the embedded stack or on servers of yours (STACK_* variables).',
  )
  .addArgument(new Argument('[suite...]', 'which suites; all of them unless named').choices(names))
  .option('--quick', 'small sizes and few rounds: shows that it works, not how fast')
  .option(
    '--json <file>',
    `where the figures go, with charts beside it (a full run of all suites: ${usualFile}; else nowhere)`,
  )
  .addHelpText('after', `\nSuites:\n${suites.map(({ name, about }) => `  ${name.padEnd(10)} ${about}`).join('\n')}`)
  .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage))
  .action(async (chosen: string[], options: Options) => {
    const wanted = suites.filter(({ name }) => chosen.length === 0 || chosen.includes(name))
    await interruptible((signal) => run(wanted, options, signal))
  })

try {
  await program.parseAsync()
} catch (error) {
  const text = error instanceof UserError ? error.message : error instanceof Error ? error.stack : String(error)
  process.stderr.write(`bench: ${text}\n`)
  process.exitCode = error instanceof UserError ? error.exitCode : exitCodes.failed
}
process.exit()

async function run(wanted: readonly Suite[], { quick = false, json }: Options, signal: AbortSignal): Promise<void> {
  const file = json ?? (quick || wanted.length < suites.length ? undefined : usualFile)
  const measured = await measure(wanted, quick, signal)
  const verdicts = verdictsOn([...measured.results.values()])
  const texts = wanted.flatMap(({ name, about }) => {
    const result = measured.results.get(name)
    return result === undefined ? [] : [suiteText(name, about, result)]
  })
  const sections = [machineText(measured.machine), ...texts, scorecardText(verdicts)]
  process.stdout.write(`\n${sections.join('\n\n')}\n`)
  if (file === undefined) return
  const written = await writeResults(file, measured.machine, measured.results, verdicts)
  process.stdout.write(`\nWritten: ${written.join(', ')}\n`)
}

/** Whatever happens, nothing of ours is left running or lying about. */
async function measure(wanted: readonly Suite[], quick: boolean, signal: AbortSignal) {
  const bench = await Bench.open(quick)
  const cutShort = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
    if (signal.aborted) reject(signal.reason as Error)
    // Also a defect that no promise told of: the servers would outlive us.
    process.once('uncaughtException', reject)
  })
  try {
    return await Promise.race([measureSuites(bench, wanted), cutShort])
  } finally {
    say('stopping the servers')
    await bench.close()
  }
}

async function measureSuites(bench: Bench, wanted: readonly Suite[]) {
  const machine: Machine = await describeMachine(bench)
  const results = new Map<string, SuiteResult>()
  for (const [at, suite] of wanted.entries()) {
    bench.step(`suite ${at + 1} of ${wanted.length}: ${suite.name}`)
    try {
      results.set(suite.name, await suite.run(bench))
    } catch (error) {
      // The others took their time, and are worth having all the same.
      say(`suite ${suite.name} failed: ${error instanceof Error ? error.stack : String(error)}`)
      process.exitCode = exitCodes.failed
    } finally {
      await bench.endSuite()
    }
  }
  return { machine, results }
}
