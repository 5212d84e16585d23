import { deadLetterQueueName, replyQueueName } from '../../../shared/contract/names.ts'
import type { Load } from '../../harness/load.ts'
import { until } from '../../harness/until.ts'
import type { Fleet } from './fleet.ts'
import { linesOf, queues } from './fleet.ts'

const errorLevel = 50
const settleMs = 90_000

/**
 * The checker: whether all that a load asked came out as the guarantees say, whatever was done to the servers meanwhile.
 * Ends the load and looks at the whole: the answers, the queues, the records, the audit, the processes. Empty if all is well.
 * `commitsWereLost`: connections to Postgres broke, so an attempt's row may stand there twice, in the very same words
 * (docs/decisions/0016). `refused`: Valkey took no requests for a while, which their producers were told.
 */
export async function findings(
  fleet: Fleet,
  load: Load,
  { commitsWereLost = false, refused = false } = {},
): Promise<string[]> {
  const wrong = await load.end()
  if (load.notTaken > 0 && !refused) wrong.push(`${load.notTaken} requests not taken`)
  const found = await Promise.all([stuck(fleet), unaudited(fleet, load, commitsWereLost), misminted(fleet, load)])
  return [...wrong.map((each) => `came back wrong: ${each}`), ...found.flat(), ...troubled(fleet)]
}

/** Nothing waits or is under way, nothing failed or was given up, and every reply was read. */
async function stuck({ vault, asking }: Fleet): Promise<string[]> {
  const found: string[] = []
  for (const name of queues) {
    const queue = vault.queue(name)
    const left = () => queue.getJobCounts('wait', 'prioritized', 'active', 'delayed')
    const isEmpty = async () => Object.values(await left()).every((count) => count === 0)
    await until('the queue is empty', isEmpty, settleMs).catch(async () => {
      found.push(`stuck on queue ${name}: ${JSON.stringify(await left())}`)
    })
    const failed = await queue.getFailedCount()
    if (failed > 0) found.push(`${failed} jobs of queue ${name} failed`)
    const dead = await vault.queue(deadLetterQueueName(name)).getJobs()
    if (dead.length > 0) found.push(`${dead.length} dead letters of queue ${name}`)
  }
  const replies = replyQueueName(asking.actor.name)
  const isRead = async () => (await vault.queue(replies).count()) === 0
  await until('all replies are read', isRead).catch(async () => {
    found.push(`${await vault.queue(replies).count()} replies that nobody asked for`)
  })
  return found
}

/** Each item that was answered is in the audit, in no attempt more than once, and nothing else is. */
async function unaudited({ vault, asking }: Fleet, { items }: Load, commitsWereLost: boolean): Promise<string[]> {
  const { rows } = await vault.postgres.query<Audited>(audited, [asking.actor.name])
  return queues.flatMap((queue) => {
    const row = rows.find(({ action }) => action === queue)
    const [opened, again, contrary, others] = [row?.opened, row?.again, row?.contrary, row?.others].map(Number)
    const found: string[] = []
    if (opened !== items[queue]) found.push(`${queue}: ${items[queue]} items answered, ${opened} audited`)
    if (again !== 0 && !commitsWereLost) found.push(`${queue}: ${again} rows say again what an attempt has said`)
    if (contrary !== 0) found.push(`${queue}: of ${contrary} items an attempt says more than one thing`)
    if (others !== 0) found.push(`${queue}: ${others} rows of items that should not have failed`)
    return found
  })
}

type Audited = Record<'action' | 'opened' | 'again' | 'contrary' | 'others', string>

/** An `unauthenticated` is a session that ended meanwhile: the client sends such a request again. */
const audited = `
  with rows as (select * from vault.audit where actor = $1 or claimed_actor = $1),
  said as (
    select action, request_id, attempt, item, count(*) as times,
           count(distinct (outcome, token, field, subject, mask, purpose, policy_revision, kek_version)) as things
    from rows where outcome = 'ok' group by action, request_id, attempt, item
  )
  select action, count(distinct (request_id, item)) as opened, sum(times) - count(*) as again,
         count(*) filter (where things > 1) as contrary,
         (select count(*) from rows where rows.action = said.action and outcome not in ('ok', 'unauthenticated')) as others
  from said group by action`

/** The records of this actor are those whose tokens were given out. */
async function misminted({ vault, asking }: Fleet, { tokens }: Load): Promise<string[]> {
  const { rows } = await vault.postgres.query<{ token: string }>(
    'select vault.token_text(token) as token from vault.records where actor = $1',
    [asking.actor.name],
  )
  const stored = new Set(rows.map(({ token }) => token))
  const given = new Set(tokens)
  const found: string[] = []
  const lost = given.difference(stored).size
  const idle = stored.difference(given).size
  if (given.size < tokens.length) found.push(`${tokens.length - given.size} tokens given out twice`)
  if (lost > 0) found.push(`${lost} tokens without a record`)
  if (idle > 0) found.push(`${idle} records whose token nobody was given`)
  return found
}

/** Who should live does, and has met no error of its own. */
function troubled(fleet: Fleet): string[] {
  return fleet.living.flatMap(({ queue, process }) => {
    const lines = linesOf(process)
    const errors = lines.filter((line) => Number(/"level":(\d+)/.exec(line)?.[1] ?? 0) >= errorLevel)
    const ended = process.hasEnded ? [`a ${queue} worker ended: ${lines.slice(-4).join(' ')}`] : []
    return [...ended, ...errors.map((line) => `a ${queue} worker said: ${line}`)]
  })
}
