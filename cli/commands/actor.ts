import { Command } from 'commander'
import type { Report } from '../../provision/index.ts'
import {
  addActor,
  listActors,
  OpenBaoAdmin,
  removeActor,
  revokeActor,
  writeActorCredentials,
} from '../../provision/index.ts'
import { readTransitAdminConfig } from '../../shared/config/environment.ts'
import { adminEnvironment } from '../embedded.ts'
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
      'where the credentials go: JSON with actor, role_id and secret_id, readable by you alone',
    )
    .option('--stack', 'on the embedded stack')
    .action((name: string, options: Options & { out: string }) =>
      withOpenBao(options, async (bao, report) => {
        await writeActorCredentials(options.out, name, await addActor(bao, name, report))
        say(`The credentials are in ${options.out}: name that file in ACTOR_CREDENTIALS_FILE.`)
        say(`What ${name} may do is for the policy to say; until its data names ${name}, everything is denied.`)
      }),
    )
  actor
    .command('list')
    .description('show the identities, and which versions of their session keys are accepted')
    .option('--stack', 'on the embedded stack')
    .action((options: Options) =>
      withOpenBao(options, async (bao) => {
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
    .action((name: string, options: Options) => withOpenBao(options, (bao, report) => revokeActor(bao, name, report)))
  actor
    .command('remove <name>')
    .description('revoke it and delete its keys: replies that were not read yet cannot be opened any more')
    .option('--stack', 'on the embedded stack')
    .action((name: string, options: Options) => withOpenBao(options, (bao, report) => removeActor(bao, name, report)))
  return actor.addHelpText('after', '\nEnvironment: TRANSIT_ADDR and BAO_TOKEN, as for `pii-vault setup`; or --stack.')
}

async function withOpenBao(
  { stack }: Options,
  work: (bao: OpenBaoAdmin, report: Report) => Promise<void>,
): Promise<void> {
  const { transit, token } = readTransitAdminConfig(stack ? await adminEnvironment() : process.env)
  const bao = new OpenBaoAdmin(transit, token)
  try {
    await work(bao, (done) => say(`- ${done}`))
  } finally {
    await bao.close()
  }
}
