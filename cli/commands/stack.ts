import { Command } from 'commander'
import { queues } from '../../shared/contract/grammar.ts'
import { defaultDirectory, stackStatus, stopStack, wipeStack } from '../../stack/index.ts'
import { startEmbeddedStack } from '../embedded.ts'
import { say, table } from '../terminal.ts'

export function stackCommand(): Command {
  const stack = new Command('stack').description(
    'the embedded stack: Postgres, Valkey and OpenBao on this machine, for trying things out',
  )
  stack
    .command('up')
    .description('start it in the background and prepare it; what runs already stays as it is')
    .action(async () => {
      await startEmbeddedStack(say)
      say('The stack is up. Next, each in a terminal of its own:')
      for (const queue of queues) say(`  pii-vault worker ${queue} --stack`)
    })
  stack
    .command('down')
    .description('stop it; its data stays')
    .action(async () => {
      await stopStack(defaultDirectory)
      say('The stack is down. Its data stays until `pii-vault stack wipe`.')
    })
  stack
    .command('status')
    .description('say what is running')
    .option('--json', 'as JSON with queue_url, database_url and transit_addr; these hold passwords')
    .action(async ({ json }: { json?: boolean }) => {
      const { services, stack: running } = await stackStatus(defaultDirectory)
      const addresses = running?.addresses
      if (json) {
        const urls = {
          queue_url: addresses?.queueUrl,
          database_url: addresses?.databaseUrl,
          transit_addr: addresses?.transitAddr,
        }
        process.stdout.write(
          `${JSON.stringify({ running: services.length > 0 && services.every((one) => one.running), ...urls, services })}\n`,
        )
        return
      }
      if (services.length === 0) say('There is no stack. `pii-vault stack up` makes one.')
      else
        table(
          services.map(({ service, running: up, port, pid, source }) => [
            service,
            up ? `running on port ${port}` : 'stopped',
            pid === undefined ? '' : `pid ${pid}`,
            `from ${source}`,
          ]),
        )
    })
  stack
    .command('wipe')
    .description('stop it and remove all its data, keys included: every token made with it is lost')
    .action(async () => {
      await wipeStack(defaultDirectory)
      say('The stack and its data are gone.')
    })
  return stack
}
