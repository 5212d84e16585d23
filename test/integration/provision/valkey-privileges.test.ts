import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { QueueUsers, workerFile } from '../../../provision/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import { tokensOf } from '../../harness/outcomes.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

/* What each pool's and actor's user may do on Valkey, and that it may do no more. */

let vault: TestVault
let app: TestActor
/** Its name begins with the name of `app`. */
let other: TestActor
const purpose = 'test'
const nothing = () => undefined

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor('a')
  other = await vault.actor(`${app.name}-b`)
})
afterAll(() => vault.close())

function connect(url: string): Redis {
  const redis = new Redis(url, { maxRetriesPerRequest: 0, retryStrategy: () => null })
  redis.on('error', () => undefined)
  vault.onClose(async () => redis.disconnect())
  return redis
}
const asPool = (queue: QueueName): Redis =>
  connect(parseEnv(readFileSync(workerFile(vault.stack.credentials, queue), 'utf8'))['QUEUE_URL'] as string)

/** `allowed`, or the first word of the refusal. */
async function ask(redis: Redis, [command = '', ...words]: readonly string[]): Promise<string> {
  return redis.call(command, ...words).then(
    () => 'allowed',
    (error: Error) => error.message.split(' ', 1)[0] ?? '',
  )
}

const admin = [
  ...[['FLUSHALL'], ['FLUSHDB'], ['CONFIG', 'GET', '*'], ['KEYS', '*'], ['SCAN', '0'], ['RANDOMKEY'], ['DBSIZE']],
  ...[['ACL', 'LIST'], ['ACL', 'WHOAMI'], ['MONITOR'], ['SHUTDOWN'], ['SAVE'], ['BGREWRITEAOF']],
  ...[
    ['CLIENT', 'LIST'],
    ['CLIENT', 'KILL', 'ID', '1'],
    ['SLOWLOG', 'GET'],
    ['SCRIPT', 'FLUSH'],
    ['SWAPDB', '0', '1'],
  ],
  ...[
    ['REPLICAOF', 'NO', 'ONE'],
    ['FUNCTION', 'LIST'],
    ['MODULE', 'LIST'],
    ['SUBSCRIBE', 'x'],
    ['PUBLISH', 'x', 'y'],
  ],
]

/** Reads, pops, adds and deletes, directly and by a script. */
function touching(queue: string): string[][] {
  const key = `${vault.prefix}:${queue}`
  const [wait, meta, job, events] = [`${key}:wait`, `${key}:meta`, `${key}:some-id`, `${key}:events`]
  const script = "return redis.call('LLEN', ARGV[1])"
  return [
    ...[
      ['EXISTS', wait],
      ['LLEN', wait],
      ['LRANGE', wait, '0', '-1'],
      ['RPOP', wait],
      ['TYPE', wait],
      ['DEL', wait],
    ],
    ...[
      ['HGETALL', job],
      ['HGET', job, 'data'],
      ['DEL', job],
      ['HSET', meta, 'paused', '1'],
      ['LPUSH', wait, 'x'],
    ],
    ...[
      ['XREAD', 'STREAMS', events, '0'],
      ['XADD', events, '*', 'a', 'b'],
      ['RENAME', wait, `${key}:x`],
    ],
    ...[
      ['EVAL', script, '1', wait, wait],
      ['EVAL', script, '0', wait],
      ['BZPOPMIN', `${key}:marker`, '0.01'],
    ],
  ]
}

test('with these users, requests of every kind make their round trip', async () => {
  for (const queue of queues) await vault.replica(queue)
  for (const actor of [app, other]) {
    for (const replyName of [undefined, 'own']) {
      const client = await vault.client(actor, replyName)
      const items = ['x', 'y', 'z'].map((value) => ({ field: 'note', value }))
      const tokens = tokensOf(await client.tokenize(items, { purpose }))
      expect(await client.detok(tokens, { purpose })).toMatchObject(items.map(() => ({ ok: true })))
      // More than 20 items have a priority, and stand in another list.
      const many = Array.from({ length: 30 }, () => ({ field: 'note', value: 'x' }))
      expect(await client.tokenize(many, { purpose })).toMatchObject(many.map(() => ({ ok: true })))
    }
  }
})

test('an actor takes back what it asked for in vain', async () => {
  const lonely = new Redis(app.queueUrl)
  const queue = new Queue('detok', { connection: lonely, prefix: `${vault.prefix}-idle`, skipMetasUpdate: true })
  for (const priority of [0, 1]) {
    const job = await queue.add('detok', {}, { jobId: `withdrawn-${priority}`, priority })
    expect(await queue.remove(job.id as string, { removeChildren: false })).toBe(1)
  }
  await queue.close()
  lonely.disconnect()
})

test('nothing that this work needs is refused', async () => {
  const log = (await vault.redis.call('ACL', 'LOG')) as unknown[][]
  const refused = log.map((entry) => [entry[entry.indexOf('username') + 1], entry[entry.indexOf('object') + 1]])
  const ours = [app, other].map(({ name }) => `pii-actor-${name}`)
  expect(refused.filter(([user]) => ours.includes(String(user)))).toEqual([])
})

describe('an actor', () => {
  test("cannot read, pop, add to or delete another's replies, whatever the names begin with", async () => {
    const asApp = connect(app.queueUrl)
    const asOther = connect(other.queueUrl)
    for (const [redis, name] of [
      [asApp, other.name],
      [asOther, app.name],
    ] as const) {
      for (const queue of [`reply-${name}`, `reply-${name}.own`])
        for (const command of touching(queue))
          expect(await ask(redis, command), command.join(' ')).toMatch(/^NOPERM|^ERR/)
      expect(await ask(redis, ['EXISTS', `${vault.prefix}:reply-${name}:wait`])).toBe('NOPERM')
    }
    expect(await ask(asApp, ['EXISTS', `${vault.prefix}:reply-${app.name}:wait`])).toBe('allowed')
    expect(await ask(asApp, ['EXISTS', `${vault.prefix}:reply-${app.name}.own:wait`])).toBe('allowed')
  })

  test.each(queues)('cannot touch the dead letters of %s', async (queue) => {
    const redis = connect(app.queueUrl)
    for (const command of touching(`dead-${queue}`))
      expect(await ask(redis, command), command.join(' ')).not.toBe('allowed')
  })

  test.each(queues)('can neither list nor take what is on %s', async (queue) => {
    const redis = connect(app.queueUrl)
    const key = `${vault.prefix}:${queue}`
    for (const command of [
      ...[
        ['LRANGE', `${key}:wait`, '0', '-1'],
        ['RPOP', `${key}:wait`],
        ['BZPOPMIN', `${key}:marker`, '0.01'],
      ],
      ...[
        ['LMOVE', `${key}:wait`, `${key}:active`, 'RIGHT', 'LEFT'],
        ['RPOPLPUSH', `${key}:wait`, `${key}:active`],
      ],
      ...[
        ['XREAD', 'STREAMS', `${key}:events`, '0'],
        ['XRANGE', `${key}:events`, '-', '+'],
        ['ZRANGE', `${key}:prioritized`, '0', '-1'],
        ['HGETALL', `${key}:x`],
      ],
      ...[
        ['ZPOPMIN', `${key}:prioritized`],
        ['LINDEX', `${key}:wait`, '0'],
      ],
    ])
      expect(await ask(redis, command), command.join(' ')).toBe('NOPERM')
  })

  test('cannot use keys of another prefix', async () => {
    expect(await ask(connect(app.queueUrl), ['EXISTS', `bull:reply-${app.name}:wait`])).toBe('NOPERM')
  })

  test.each(admin)('cannot %s %s', async (...command) => {
    expect(await ask(connect(app.queueUrl), command)).toBe('NOPERM')
  })
})

describe.each([
  ['detok', 'tokenize'],
  ['tokenize', 'detok'],
] as const)('the pool %s', (own, another) => {
  test(`cannot take, read or put jobs of ${another}`, async () => {
    const redis = asPool(own)
    for (const queue of [another, `dead-${another}`])
      for (const command of touching(queue)) expect(await ask(redis, command), command.join(' ')).not.toBe('allowed')
    const connection = redis.duplicate({ maxRetriesPerRequest: null })
    const errors: string[] = []
    const worker = new Worker(another, async () => undefined, { connection, prefix: vault.prefix })
    worker.on('error', ({ message }) => errors.push(message))
    await until('it is refused', async () => errors.length > 0)
    await worker.close(true)
    connection.disconnect()
    expect(errors[0]).toContain('NOPERM')
  })

  test('puts replies on any reply queue, removes what is too old, and reads none', async () => {
    const redis = asPool(own)
    for (const command of touching(`reply-${app.name}`).filter(([name = '']) => /POP|READ|GETALL|RENAME/.test(name)))
      expect(await ask(redis, command), command.join(' ')).toBe('NOPERM')
  })

  // It looks for reply queues.
  test.each(admin.filter(([name]) => name !== 'SCAN'))('cannot %s %s', async (...command) => {
    expect(await ask(asPool(own), command)).toBe('NOPERM')
  })
})

describe('an actor that is revoked', () => {
  test('loses its live connections and its password, and works again with a new one', async () => {
    const actor = await vault.actor('revoked')
    const bystander = connect(app.queueUrl)
    expect(await ask(bystander, ['PING'])).toBe('allowed')
    const live = connect(actor.queueUrl)
    expect(await ask(live, ['PING'])).toBe('allowed')
    await vault.queueUsers.revokeActor(actor.name, nothing)
    await until('it is cut', async () => live.status === 'end')
    expect(await loggedIn(actor.queueUrl)).toBe('WRONGPASS')
    expect(bystander.status).toBe('ready')
    const { queueUrl } = await vault.credentials(actor.name)
    expect(await loggedIn(queueUrl)).toBe('allowed')
    expect(await loggedIn(actor.queueUrl)).toBe('WRONGPASS')
  })

  test('is gone when it is removed, with its connections', async () => {
    const actor = await vault.actor('removed')
    const live = connect(actor.queueUrl)
    expect(await ask(live, ['PING'])).toBe('allowed')
    await vault.queueUsers.removeActor(actor.name, nothing)
    await until('it is cut', async () => live.status === 'end')
    expect(await vault.redis.call('ACL', 'GETUSER', `pii-actor-${actor.name}`)).toBeNull()
    const reported: string[] = []
    await vault.queueUsers.removeActor(actor.name, (done) => reported.push(done))
    expect(reported).toEqual([])
  })

  test('had further credentials that worked beside the first', async () => {
    const actor = await vault.actor('twice')
    const { queueUrl } = await vault.credentials(actor.name)
    for (const url of [actor.queueUrl, queueUrl]) expect(await loggedIn(url)).toBe('allowed')
  })
})

/** As somebody who connects now. */
async function loggedIn(url: string): Promise<string> {
  const { username, password } = new URL(url)
  return ask(connect(vault.stack.queueUrl), ['AUTH', username, password])
}

test('a server that refuses to make users is said to, and how to do without', async () => {
  const users = new QueueUsers({ url: app.queueUrl, prefixes: ['bull'] })
  await expect(users.ensurePools(nothing)).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringMatching(
      /^Redis at 127\.0\.0\.1:\d+ \(QUEUE_URL\) refuses to make users \(NOPERM\).*unset QUEUE_URL/,
    ),
  })
  users.close()
})
