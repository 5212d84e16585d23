import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { deadLetterQueueName, replyQueueName } from '../shared/contract/names.ts'

/*
 * What each user may do on Redis or Valkey, as rules of ACL SETUSER. No command that is not bound to keys is among them but
 * those that a connection needs for itself, so the patterns of keys say all. A script's commands are checked one by one, like
 * any others. Neither a prefix nor the name of a queue or actor can hold a character that a pattern gives a meaning to.
 */

/** What ioredis and BullMQ ask of any connection: the login, its name, the server's version, scripts, transactions. */
const connection = [
  ...['auth', 'hello', 'ping', 'info', 'select', 'quit', 'time', 'client|setname', 'client|setinfo'],
  ...['eval', 'evalsha', 'script|load', 'script|exists', 'multi', 'exec', 'discard'],
]

/** A queue of one's own: everything that works on keys. The category `keyspace` has commands that see other keys too. */
const own = [
  ...['+@string', '+@list', '+@set', '+@sortedset', '+@hash', '+@stream', '-@dangerous'],
  ...allow(['exists', 'del', 'unlink', 'type', 'rename', 'persist', 'pttl', 'pexpire', 'pexpireat']),
]

/** Another's queue: to add jobs whose ids one knows. It can neither be listed nor popped from. */
const add = [
  'exists',
  'incr',
  'get',
  'pttl',
  'hget',
  'hmget',
  'hset',
  'hmset',
  'llen',
  'lpush',
  'zadd',
  'zcard',
  'xadd',
]
/** And to remove from it what nobody came for (workers/expire.lua); `scan` finds such queues. */
const expire = ['lrange', 'lrem', 'del', 'xrevrange', 'scan']
/** And to take such a job off again. */
const withdraw = ['del', 'zscore', 'zrem', 'lrem']

/** `prefixes`: QUEUE_PREFIX, or several of one stack. */
export function poolRules(queue: QueueName, prefixes: readonly string[]): string[] {
  const others = [`${deadLetterQueueName(queue)}:*`, 'reply-*:*']
  return [
    ...rules(own, keys(prefixes, [`${queue}:*`, 'probe:*'])),
    selector(allow([...connection, ...add, ...expire]), keys(prefixes, others)),
  ]
}

export function actorRules(actor: string, prefixes: readonly string[]): string[] {
  const replies = replyQueueName(actor)
  const requests = queues.map((queue) => `${queue}:*`)
  return [
    // An actor's name has no dot: what follows one is the name of a reply queue of this actor.
    ...rules(own, keys(prefixes, [`${replies}:*`, `${replies}.*`])),
    selector(allow([...connection, ...add, ...withdraw]), keys(prefixes, requests)),
  ]
}

function rules(commands: readonly string[], patterns: readonly string[]): string[] {
  return [...commands, ...allow(connection), ...patterns]
}

/** Commands that are allowed on these keys beside what the user may do otherwise. */
function selector(commands: readonly string[], patterns: readonly string[]): string {
  return `(${[...commands, ...patterns].join(' ')})`
}

function allow(commands: readonly string[]): string[] {
  return commands.map((command) => `+${command}`)
}

function keys(prefixes: readonly string[], suffixes: readonly string[]): string[] {
  return prefixes.flatMap((prefix) => suffixes.map((suffix) => `~${prefix}:${suffix}`))
}
