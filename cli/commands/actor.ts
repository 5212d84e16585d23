import { Command } from 'commander'
import type { Report } from '../../provision/index.ts'
import {
  addActor,
  listActors,
  OpenBaoAdmin,
  QueueUsers,
  removeActor,
  revokeActor,
  writeActorCredentials,
} from '../../provision/index.ts'
import { readActorAdminConfig } from '../../shared/config/environment.ts'
import { adminEnvironment, prefixesOf } from '../embedded.ts'
import { say, table } from '../terminal.ts'

interface Options {
  readonly stack?: boolean
}

export function actorCommand(): Command {
  const actor = new Command('actor').description('the identities of producers')
  actor
    .command('add <name>')
    .description('make an identity, or new credentials for one that exists')
    .requiredOption(
      '--out <file>',
      'where the credentials go: JSON with actor, role_id, secret_id and queue_url, readable by you alone',
    )
    .option('--stack', 'on the embedded stack')
    .action((name: string, options: Options & { out: string }) =>
      withServers(options, async ({ bao, users }, report) => {
        const credentials = await addActor(bao, name, report)
        await writeActorCredentials(options.out, name, credentials, await users?.addActor(name, report))
        if (users === undefined)
          say('QUEUE_URL is not set, so the queue was left alone: give the producer one yourself.')
        say(`The credentials are in ${options.out}: name that file in ACTOR_CREDENTIALS_FILE.`)
        say(`What ${name} may do is for the policy to say; until its data names ${name}, everything is denied.`)
      }),
    )
  actor
    .command('list')
    .description('show the identities, and which versions of their session keys are accepted')
    .option('--stack', 'on the embedded stack')
    .action((options: Options) =>
      withServers(options, async ({ bao }) => {
        const actors = await listActors(bao)
        if (actors.length === 0) say('There are no actors. `pii-vault actor add NAME --out FILE` makes one.')
        else
          table(
            actors.map(({ name, keys }) => [
              name,
              ...keys.map(({ queue, version, accepted }) => `${queue}: version ${version}, accepted from ${accepted}`),
            ]),
          )
      }),
    )
  actor
    .command('revoke <name>')
    .description('end its credentials and everything in flight within 61 seconds; `actor add` gives new ones')
    .option('--stack', 'on the embedded stack')
    .action((name: string, options: Options) =>
      withServers(options, async ({ bao, users }, report) => {
        // First, as the rest throws where a token may be left.
        await users?.revokeActor(name, report)
        await revokeActor(bao, name, report)
      }),
    )
  actor
    .command('remove <name>')
    .description('revoke it and delete its keys: replies that were not read yet cannot be opened any more')
    .option('--stack', 'on the embedded stack')
    .action((name: string, options: Options) =>
      withServers(options, async ({ bao, users }, report) => {
        await users?.removeActor(name, report)
        await removeActor(bao, name, report)
      }),
    )
  return actor.addHelpText(
    'after',
    '\nEnvironment: TRANSIT_ADDR, BAO_TOKEN, QUEUE_URL and QUEUE_PREFIX, as for `pii-vault setup`; or --stack.',
  )
}

interface Servers {
  readonly bao: OpenBaoAdmin
  readonly users: QueueUsers | undefined
}

async function withServers(
  { stack }: Options,
  work: (servers: Servers, report: Report) => Promise<void>,
): Promise<void> {
  const { transit, token, queue } = readActorAdminConfig(stack ? await adminEnvironment() : process.env)
  const bao = new OpenBaoAdmin(transit, token)
  const users = queue && new QueueUsers({ url: queue.url, prefixes: prefixesOf(queue, stack) })
  try {
    await work({ bao, users }, (done) => say(`- ${done}`))
  } finally {
    users?.close()
    await bao.close()
  }
}
