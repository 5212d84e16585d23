import { Command } from 'commander'
import { provision } from '../../provision/index.ts'
import { readAdminConfig } from '../../shared/config/environment.ts'
import { adminEnvironment, prefixesOf } from '../embedded.ts'
import { say } from '../terminal.ts'

export function setupCommand(): Command {
  return new Command('setup')
    .description(
      'prepare a Postgres, an OpenBao and a Valkey or Redis: migrations, keys, policies, roles and users. Can be run again.',
    )
    .option('--out <directory>', 'issue the credentials of the worker pools into this directory, readable by you alone')
    .option(
      '--renew',
      'with --out: new credentials in place of those that were issued; workers on the old ones are shut out',
    )
    .option('--stack', 'on the embedded stack')
    .addHelpText('after', environment)
    .action(async ({ out, renew, stack }: { out?: string; renew?: boolean; stack?: boolean }) => {
      const config = readAdminConfig(stack ? await adminEnvironment() : process.env)
      let changes = 0
      const queue = config.queue && { url: config.queue.url, prefixes: prefixesOf(config.queue, stack) }
      await provision({ ...config, queue, credentials: out, renew }, (done) => {
        changes++
        say(`- ${done}`)
      })
      say(changes === 0 ? 'Everything was in place already.' : 'Set up.')
      if (queue === undefined)
        say('QUEUE_URL is not set, so the queue was left alone: give each worker and producer one yourself.')
      say(
        out === undefined
          ? 'The worker pools get their credentials by `pii-vault setup --out DIRECTORY`.'
          : `The credentials of the worker pools are in ${out}${renew ? ': start their workers on them now' : '; those that were there stay as they are'}.`,
      )
    })
}

const environment = `
Environment:
  DATABASE_URL              Postgres, as a user that may create roles and schemas
  TRANSIT_ADDR              OpenBao (or BAO_ADDR, VAULT_ADDR)
  BAO_TOKEN                 a token that may write policies, AppRoles and keys (or VAULT_TOKEN)
  QUEUE_URL                 Valkey or Redis, as a user that may make users; left alone unless set
  QUEUE_PREFIX              BullMQ's key prefix, if it is not bull
  BAO_NAMESPACE, BAO_CACERT where they are needed
`
