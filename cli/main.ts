#!/usr/bin/env node
import { Command } from 'commander'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { describeError } from '../shared/log/log.ts'
import { actorCommand } from './commands/actor.ts'
import { convertCommand } from './commands/convert.ts'
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
  .addCommand(convertCommand('tokenize'))
  .addCommand(convertCommand('detok'))
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : exitCodes.usage)
  })
for (const command of program.commands) command.copyInheritedSettings(program)

try {
  await program.parseAsync()
} catch (error) {
  // A message of ours is for people. Any other text may quote what it was given, so only its kind and place are shown.
  const text =
    error instanceof UserError
      ? error.message
      : `unexpected error, which is a defect: ${JSON.stringify(describeError(error))}`
  process.stderr.write(`pii-vault: ${text}\n`)
  process.exitCode = error instanceof UserError ? error.exitCode : exitCodes.failed
}
