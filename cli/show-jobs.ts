import type { Redis } from 'ioredis'
import { UserError } from '../shared/errors/user-error.ts'
import type { DeadLetters, Filter, Kept, Left } from './dead-letters.ts'
import { queueStatus } from './queue-status.ts'
import { count, say, table } from './terminal.ts'

/* What `pii-vault jobs` shows of queues and dead letters. */

export async function status({
  connection,
  prefix,
  json,
}: {
  connection: Redis
  prefix: string
  json: boolean
}): Promise<void> {
  const found = await queueStatus(connection, prefix)
  if (json) return print(found)
  table(
    [
      ['queue', 'waiting', 'oldest', 'active', 'dead letters'],
      ...found.queues.map((at) => [
        at.queue,
        count(at.waiting),
        age(at.oldestSeconds),
        count(at.active),
        count(at.deadLetters),
      ]),
      ...found.replies.map((at) => [at.queue, count(at.waiting), age(at.oldestSeconds), '', '']),
    ],
    [1, 2, 3, 4],
  )
}

export async function list(letters: DeadLetters, options: Filter & { limit: number; json?: boolean }): Promise<void> {
  const found: Kept[] = []
  let more = false
  for await (const kept of letters.matching(options)) {
    more = found.length === options.limit
    if (more) break
    found.push(kept)
  }
  if (options.json) return print(found.map(shown))
  if (found.length === 0) return say('There are no such dead letters.')
  table([
    ['id', 'code', 'at', 'actor', 'items', 'answered'],
    ...found.map(({ letterId, letter: { code, at, request, answered } }) => [
      letterId,
      code,
      at,
      request?.actor ?? '-',
      request === null ? '-' : count(request.items),
      answered ? 'sealed' : 'hint at most',
    ]),
  ])
  if (more) say(`There are more: --limit N shows more than ${count(options.limit)}.`)
}

export async function show(letters: DeadLetters, id: string, { json }: { json?: boolean }): Promise<void> {
  const kept = await letters.find(id)
  if (kept === undefined) throw new UserError(reasons.unknown(id))
  if (json) return print(shown(kept))
  const { request, ...known } = shown(kept)
  const rows = Object.entries({
    ...known,
    ...(request ?? { request: 'not kept: it had not the form of a sealed one' }),
  })
  table(rows.map(([name, value]) => [name, String(value)]))
}

/** Without the body: it is sealed, long, and of use to nobody here. */
function shown({ letterId, letter }: Kept) {
  const { id: jobId, request, v: _, ...known } = letter
  if (request === null) return { id: letterId, jobId, ...known, request: null }
  const { actor, reply, items, exp, until } = request
  return { id: letterId, jobId, ...known, request: { actor, reply, items, exp, until } }
}

export const reasons: Record<Left, (id: string) => string> = {
  unknown: (id) => `There is no dead letter ${JSON.stringify(id)}: \`pii-vault jobs list\` shows those that there are.`,
  'no request': (id) =>
    `${id} cannot be put back: what it was about had not the form of a sealed request, so it was not kept.`,
  expired: (id) =>
    `${id} has expired, and would be refused again. Its requester has to ask anew; --force puts it back all the same.`,
  'on the queue': (id) => `${id} is left: a job of the same id is on the queue now.`,
}

function print(result: unknown): void {
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
}

function age(seconds: number | null): string {
  if (seconds === null) return '-'
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${Math.round(seconds / 3_600)} h` : `${Math.round(seconds / 86_400)} d`
}
