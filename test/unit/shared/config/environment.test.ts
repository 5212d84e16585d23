import { describe, expect, test } from 'vitest'
import { readAdminConfig, readProducerConfig, readWorkerConfig } from '../../../../shared/config/environment.ts'
import { fileOf, problems, workerSettings } from './settings.ts'

test('settings are taken as they are, frozen, with what is not set at its default', () => {
  const config = readWorkerConfig(workerSettings)
  expect(config).toEqual({
    queue: { url: 'redis://127.0.0.1:6379', prefix: 'bull' },
    databaseUrl: 'postgres://detok:pw@localhost:5432/vault',
    transit: { address: 'http://127.0.0.1:8200', namespace: undefined, caFile: undefined },
    roleId: 'role',
    secretIdFile: workerSettings['TRANSIT_SECRET_ID_FILE'],
    policy: { location: workerSettings['POLICY'], publicKeyFile: undefined },
    timesToLive: { replySeconds: 86_400, deadLetterSeconds: 2_592_000 },
    logLevel: 'info',
  })
  for (const part of [config, config.queue, config.transit, config.policy]) expect(Object.isFrozen(part)).toBe(true)
})

test('every problem is said at once', () => {
  const said = problems({
    QUEUE_URL: 'memcached://x',
    DATABASE_URL: '',
    TRANSIT_ADDR: 'http://bao.example.com',
    TRANSIT_ROLE_ID: undefined,
    TRANSIT_SECRET_ID_FILE: undefined,
    POLICY: undefined,
    LOG_LEVEL: 'loud',
    QUEUE_PREFIX: 'a:b',
    BAO_CACERT: '/nowhere/ca.pem',
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  })
  const names =
    'NODE_TLS_REJECT_UNAUTHORIZED QUEUE_PREFIX QUEUE_URL DATABASE_URL TRANSIT_ADDR BAO_CACERT TRANSIT_ROLE_ID'
  const others = 'TRANSIT_SECRET_ID_FILE POLICY LOG_LEVEL'
  expect(said.map((line) => /^\w+/.exec(line)?.[0])).toEqual(`${names} ${others}`.split(' '))
})

test('so is what a setting names and is not there, or not as it must be', () => {
  const said = problems({
    BAO_CACERT: '',
    VAULT_CACERT: '/nowhere/CANARY',
    TRANSIT_SECRET_ID_FILE: fileOf(' \n'),
    POLICY_PUBLIC_KEY_FILE: '/nowhere/CANARY',
    POLICY: '/nowhere/CANARY',
    LOG_LEVEL: 'loud',
  })
  expect(said).toEqual([
    'VAULT_CACERT names a file that cannot be read',
    'TRANSIT_SECRET_ID_FILE names a file that is empty',
    'POLICY_PUBLIC_KEY_FILE names a file that cannot be read',
    'POLICY names no file or directory that can be read',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, silent',
  ])
})

test.each(['TRANSIT_SECRET_ID_FILE', 'BAO_CACERT', 'POLICY_PUBLIC_KEY_FILE'])('%s is no directory', (name) => {
  expect(problems({ [name]: import.meta.dirname })).toEqual([`${name} names a file that cannot be read`])
})

test.each(Object.keys(workerSettings))('%s is needed, and an empty one counts as not set', (name) => {
  const missing = problems({ [name]: undefined })
  expect(missing).toHaveLength(1)
  expect(missing[0]).toMatch(new RegExp(`^${name} is not set: `))
  expect(problems({ [name]: '' })).toEqual(missing)
})

test.each(['a b', 'a:b', 'a\n', '\u00e4', 'x'.repeat(65)])('a bad prefix is refused, never replaced: %j', (prefix) => {
  expect(problems({ QUEUE_PREFIX: prefix })).toHaveLength(1)
})

test('a hash tag is a good prefix', () => {
  expect(readWorkerConfig({ ...workerSettings, QUEUE_PREFIX: '{pii}' }).queue.prefix).toBe('{pii}')
})

test.each(['INFO', 'verbose', 'info '])('a bad log level is refused, never replaced: %j', (level) => {
  expect(problems({ LOG_LEVEL: level })).toHaveLength(1)
})

test.each(['0', '-1', '1.5', '1e3', '1d', ' 60', '9999999999'])(
  'a bad time to live is refused, never replaced: %j',
  (time) => {
    expect(problems({ REPLY_TTL_S: time, DEAD_LETTER_TTL_S: time })).toHaveLength(2)
  },
)

describe('OpenBao’s own names', () => {
  const without = { ...workerSettings, TRANSIT_ADDR: '' }

  test.each(['BAO_ADDR', 'VAULT_ADDR'])('%s stands in for TRANSIT_ADDR', (name) => {
    expect(readWorkerConfig({ ...without, [name]: 'https://bao:8200/' }).transit.address).toBe('https://bao:8200')
  })

  test('TRANSIT_ADDR comes before BAO_ADDR, and that before VAULT_ADDR', () => {
    const both = { BAO_ADDR: 'https://bao', VAULT_ADDR: 'https://vault' }
    expect(readWorkerConfig({ ...without, ...both }).transit.address).toBe('https://bao')
    expect(readWorkerConfig({ ...workerSettings, ...both }).transit.address).toBe('http://127.0.0.1:8200')
  })

  test('namespace, authority and token go by both names', () => {
    const file = fileOf('PEM')
    const admin = { ...workerSettings, VAULT_NAMESPACE: 'team', VAULT_CACERT: file, VAULT_TOKEN: 'root' }
    const config = readAdminConfig(admin)
    expect(config.transit).toMatchObject({ namespace: 'team', caFile: file })
    expect(config.token.reveal()).toBe('root')
    expect(readAdminConfig({ ...admin, BAO_TOKEN: 'other', BAO_NAMESPACE: 'b' }).token.reveal()).toBe('other')
  })
})

describe('the file of an actor’s credentials', () => {
  const read = (content: string) => readProducerConfig({ ...workerSettings, ACTOR_CREDENTIALS_FILE: fileOf(content) })
  const good = { actor: 'svc-export', role_id: 'role', secret_id: 'CANARY' }

  test('gives actor, role and secret', () => {
    const { credentials } = read(JSON.stringify(good))
    expect([credentials.actor, credentials.roleId]).toEqual(['svc-export', 'role'])
    expect(credentials.secretId.reveal()).toBe('CANARY')
    expect(JSON.stringify(credentials)).not.toContain('CANARY')
  })

  test('gives the queue too, unless QUEUE_URL does; and it is judged alike', () => {
    const { QUEUE_URL: _, ...others } = workerSettings
    const file = (url: string) => ({ ACTOR_CREDENTIALS_FILE: fileOf(JSON.stringify({ ...good, queue_url: url })) })
    const own = 'redis://pii-actor-svc-export:secret@127.0.0.1:6379'
    expect(readProducerConfig({ ...others, ...file(own) }).queue.url).toBe(own)
    expect(readProducerConfig({ ...workerSettings, ...file(own) }).queue.url).toBe(workerSettings['QUEUE_URL'])
    expect(() => readProducerConfig({ ...others, ...file('redis://queue.example.com') })).toThrow(
      'without verified TLS',
    )
  })

  test.each([
    ['is no JSON', 'CANARY'],
    ['is empty', ''],
    ['is null', 'null'],
    ['is a list', JSON.stringify([good])],
    ['has no actor', JSON.stringify({ ...good, actor: undefined })],
    ['has an actor that is no name', JSON.stringify({ ...good, actor: 'CANARY' })],
    ['has an empty secret id', JSON.stringify({ ...good, secret_id: '' })],
    ['has a number for a role id', JSON.stringify({ ...good, role_id: 7 })],
  ])('is refused, and not quoted, if it %s', (_, content) => {
    expect(() => read(content)).toThrow(/ACTOR_CREDENTIALS_FILE names a file/)
    expect(() => read(content)).not.toThrow(/CANARY/)
  })

  test('is refused if it is not there, with all else that is wrong', () => {
    const said = problems({ ACTOR_CREDENTIALS_FILE: '/nowhere', QUEUE_URL: '' }, readProducerConfig)
    expect(said.map((line) => /^\w+/.exec(line)?.[0])).toEqual(['ACTOR_CREDENTIALS_FILE', 'QUEUE_URL'])
  })
})
