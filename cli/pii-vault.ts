import { Command } from 'commander'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { describeError } from '../shared/log/log.ts'
import { actorCommand } from './commands/actor.ts'
import { convertCommand } from './commands/convert.ts'
import { jobsCommand } from './commands/jobs.ts'
import { setupCommand } from './commands/setup.ts'
import { stackCommand } from './commands/stack.ts'
import { startCommand } from './commands/start.ts'
import { workerCommand } from './commands/worker.ts'

const program = new Command('pii-vault')
  .description('Bulk tokenization and detokenization for a PII vault, by queue workers.')
  .addCommand(startCommand())
  .addCommand(stackCommand())
  .addCommand(setupCommand())
  .addCommand(actorCommand())
  .addCommand(workerCommand())
  .addCommand(jobsCommand())
  .addCommand(convertCommand('tokenize'))
  .addCommand(convertCommand('detok'))
behaveAlike(program, '')

// Whoever reads the output may leave at any time; who minds it has a handler of its own.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
try {
  await program.parseAsync()
} catch (error) {
  // A message of ours is for people. Any other text may quote what it was given, so only its kind and place are shown.
  const text =
    error instanceof UserError
      ? error.message
      : `Unexpected error, which is a defect: ${JSON.stringify(describeError(error))}`
  process.stderr.write(`pii-vault: ${text}\n`)
  process.exitCode = error instanceof UserError ? error.exitCode : exitCodes.failed
}
// A connection to a server that does not answer would try on for ever; the command has ended all the same.
for (const stream of [process.stdout, process.stderr])
  await new Promise<void>((resolve) => stream.write('', () => resolve()))
process.exit()

/** Every command and subcommand: errors in the form of ours, what to do next, and exit code 2. */
function behaveAlike(command: Command, parent: string): void {
  const path = `${parent}${command.name()}`
  command
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : exitCodes.usage))
    .configureOutput({ outputError: (text, write) => write(`pii-vault: ${text.replace(/^error: /, '')}`) })
    .showHelpAfterError(`\`${path} --help\` shows how it is used.`)
  for (const subcommand of command.commands) behaveAlike(subcommand, `${path} `)
}
