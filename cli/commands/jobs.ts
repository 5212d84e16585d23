import { Command, InvalidArgumentError, Option } from 'commander'
import type { Redis } from 'ioredis'
import { readQueueConfig } from '../../shared/config/environment.ts'
import { queues } from '../../shared/contract/grammar.ts'
import { requestErrors } from '../../shared/errors/catalogue.ts'
import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import { createLogger } from '../../shared/log/log.ts'
import { redisAdvice } from '../../shared/queue/advice.ts'
import { connected, connectQueue } from '../../shared/queue/connection.ts'
import type { Filter, Kept, Left } from '../dead-letters.ts'
import { DeadLetters } from '../dead-letters.ts'
import { queueEnvironment } from '../embedded.ts'
import { list, reasons, show, status } from '../show-jobs.ts'
import { count, say } from '../terminal.ts'

interface Common {
  readonly stack?: boolean
  readonly json?: boolean
}

interface Handling extends Common, Filter {
  readonly all?: boolean
  readonly force?: boolean
  readonly yes?: boolean
}

const sayEvery = 1_000

export function jobsCommand(): Command {
  const jobs = new Command('jobs').description(
    'what waits on the queues, and dead letters: refused or given up requests',
  )
  jobs
    .command('status')
    .description('how much waits, on each queue')
    .action((options: Common) => withQueues(options, status))
  filtered(jobs.command('list').description('dead letters, the oldest first'))
    .option('--limit <n>', 'how many', limit, 100)
    .action((options: Common & Filter & { limit: number }) =>
      withQueues(options, ({ letters }) => list(letters, options)),
    )
  jobs
    .command('show <id>')
    .description('all that is known of a dead letter, without its sealed body')
    .action((id: string, options: Common) => withQueues(options, ({ letters }) => show(letters, id, options)))
  filtered(
    jobs
      .command('redrive [ids...]')
      .description('put requests on their queue again, as they were, and remove the letters'),
  )
    .option('--all', 'every one that --queue and --code let through')
    .option('--force', 'also those that have expired, and will be refused again')
    .action((ids: string[], options: Handling) =>
      withQueues(options, ({ letters }) =>
        handle(letters, ids, options, 'put on its queue again', (kept) =>
          letters.redrive(kept, options.force ?? false),
        ),
      ),
    )
  filtered(jobs.command('drop [ids...]').description('remove dead letters for good'))
    .option('--all', 'every one that --queue and --code let through; with --yes')
    .option('--yes', 'really all of them')
    .action((ids: string[], options: Handling) => {
      if (options.all && !options.yes)
        throw new UserError('drop --all removes them for good: say so with --yes.', exitCodes.usage)
      return withQueues(options, ({ letters }) =>
        handle(letters, ids, options, 'removed', async ({ letterId, letter }) =>
          (await letters.drop(letterId, letter.queue)) ? undefined : 'unknown',
        ),
      )
    })
  for (const command of jobs.commands) command.option('--stack', 'on the embedded stack')
  for (const command of jobs.commands.slice(0, 3)) command.option('--json', 'as JSON')
  return jobs.addHelpText('after', environment)
}

const environment = `
A dead letter is a request that was refused as a whole or given up. Its requester was told already; items that failed inside an
answered request are none. Nothing of a value is shown: the body is sealed, and what was no sealed request was not kept.

Environment: QUEUE_URL, QUEUE_PREFIX; or --stack. No worker has to run.
Exit codes: 0 done, 1 failed or not all done, 2 unusable options or settings.
`

const filtered = (command: Command): Command =>
  command
    .addOption(new Option('--queue <queue>', 'of this queue only').choices(queues))
    .addOption(new Option('--code <code>', 'refused with this code only').choices(Object.keys(requestErrors)))

function limit(text: string): number {
  if (!/^[1-9][0-9]{0,6}$/.test(text)) throw new InvalidArgumentError('It is a whole number, at least 1.')
  return Number(text)
}

interface Queues {
  readonly connection: Redis
  readonly prefix: string
  readonly letters: DeadLetters
  readonly json: boolean
}

async function withQueues({ stack, json = false }: Common, work: (queues: Queues) => Promise<void>): Promise<void> {
  const { url, prefix } = readQueueConfig(stack ? await queueEnvironment() : process.env)
  const connection = connectQueue(url, createLogger('silent', 'jobs'), 'impatient')
  const letters = new DeadLetters(connection, prefix)
  try {
    await connected(connection)
    await connection.ping().catch(() => {
      throw new UserError(redisAdvice(url))
    })
    await work({ connection, prefix, letters, json })
  } finally {
    await letters.close()
    connection.disconnect()
  }
}

async function handle(
  letters: DeadLetters,
  ids: readonly string[],
  { all = false, queue, code }: Handling,
  done: string,
  one: (kept: Kept) => Promise<Left | undefined>,
): Promise<void> {
  if (all === ids.length > 0)
    throw new UserError(
      'Name the dead letters by their ids, or say --all. `pii-vault jobs list` shows them.',
      exitCodes.usage,
    )
  if (!all && (queue ?? code) !== undefined)
    throw new UserError('--queue and --code go with --all, not with ids.', exitCodes.usage)
  let handled = 0
  let left = 0
  const leave = (id: string, why: Left) => {
    left++
    say(reasons[why](id))
  }
  const each = async (kept: Kept) => {
    const why = await one(kept)
    if (why !== undefined) leave(kept.letterId, why)
    else if (++handled % sayEvery === 0) say(`${count(handled)} so far`)
  }
  if (all) for await (const kept of letters.matching({ queue, code })) await each(kept)
  for (const id of ids) {
    const kept = await letters.find(id)
    if (kept === undefined) leave(id, 'unknown')
    else await each(kept)
  }
  if (handled + left === 0) return say('There are no such dead letters: nothing to do.')
  say(`${count(handled)} ${done}${left === 0 ? '.' : `, ${count(left)} left as they are.`}`)
  if (left > 0) process.exitCode = exitCodes.failed
}
