import { describe, expect, test } from 'vitest'
import { hostOf } from '../../../../shared/config/addresses.ts'
import { readWorkerConfig } from '../../../../shared/config/environment.ts'
import { fileOf, problems, workerSettings } from './settings.ts'

const beyond = {
  QUEUE_URL: 'redis://u:CANARY@queue.example.com:6379',
  DATABASE_URL: 'postgres://u:CANARY@db.example.com/vault',
  TRANSIT_ADDR: 'http://bao.example.com:8200',
  POLICY: 'http://opa.example.com:8181',
}
const secure = {
  QUEUE_URL: 'rediss://u:CANARY@queue.example.com:6379',
  DATABASE_URL: 'postgres://u:CANARY@db.example.com/vault?sslmode=verify-full',
  TRANSIT_ADDR: 'https://bao.example.com:8200',
  POLICY: 'https://opa.example.com:8181',
}
const names = Object.keys(beyond) as (keyof typeof beyond)[]

describe.each(names)('beyond this machine, %s', (name) => {
  test('needs verified TLS, and the error quotes no password', () => {
    const [only, ...others] = problems({ [name]: beyond[name] })
    expect(only).toMatch(new RegExp(`^${name} leads beyond this machine without verified TLS`))
    expect(only).not.toContain('CANARY')
    expect(others).toEqual([])
    expect(problems({ [name]: secure[name] })).toEqual([])
  })

  test('may be plain if ALLOW_PLAINTEXT names it, and only it', () => {
    expect(problems({ [name]: beyond[name], ALLOW_PLAINTEXT: name })).toEqual([])
    expect(problems({ ...beyond, ALLOW_PLAINTEXT: name })).toHaveLength(3)
    expect(problems({ ...beyond, ALLOW_PLAINTEXT: names.join(', ') })).toEqual([])
    for (const other of ['1', 'true', '*', name.toLowerCase(), `${name}S`]) {
      expect(problems({ [name]: beyond[name], ALLOW_PLAINTEXT: other })).toHaveLength(1)
    }
  })
})

test.each(['localhost', '127.0.0.1', '127.8.9.1', '[::1]'])('%s is this machine', (host) => {
  const here = {
    QUEUE_URL: `redis://${host}:1`,
    DATABASE_URL: `postgres://${host}/x`,
    TRANSIT_ADDR: `http://${host}:1`,
  }
  expect(problems(here)).toEqual([])
})

test.each([
  'localhost.example.com',
  '127.0.0.1.example.com',
  'xlocalhost',
  '128.0.0.1',
  '0.0.0.0',
  '[::2]',
  '10.0.0.1',
])('%s is not this machine', (host) => {
  const there = {
    QUEUE_URL: `redis://${host}:1`,
    DATABASE_URL: `postgres://${host}/x`,
    TRANSIT_ADDR: `http://${host}:1`,
  }
  expect(problems(there)).toHaveLength(3)
})

test.each(['', '?sslmode=require', '?sslmode=verify-ca', '?sslmode=no-verify', '?sslmode=VERIFY-FULL', '?ssl=true'])(
  'of Postgres only sslmode=verify-full will do: %j',
  (query) => {
    expect(problems({ DATABASE_URL: `postgres://db.example.com/x${query}` })).toHaveLength(1)
  },
)

test.each([
  ['DATABASE_URL', 'postgres://db.example.com/x?sslmode=verify-full&sslmode=disable'],
  ['DATABASE_URL', 'postgres://localhost/x?host=db.example.com'],
  ['QUEUE_URL', 'rediss://queue.example.com?tls='],
])('a parameter cannot take back what %s says: %s', (name, url) => {
  expect(problems({ [name]: url })).toHaveLength(1)
})

describe('a switch that turns verification off is refused wherever it comes from', () => {
  test.each([
    ['NODE_TLS_REJECT_UNAUTHORIZED', '0'],
    ['BAO_SKIP_VERIFY', '1'],
    ['BAO_SKIP_VERIFY', 'true'],
    ['VAULT_SKIP_VERIFY', 'T'],
    ['VAULT_SKIP_VERIFY', 'TRUE'],
  ])('%s=%s', (name, value) => {
    expect(problems({ [name]: value })).toHaveLength(1)
    expect(problems({ [name]: value, ALLOW_PLAINTEXT: name })).toHaveLength(1)
  })

  test.each([
    ['NODE_TLS_REJECT_UNAUTHORIZED', '1'],
    ['BAO_SKIP_VERIFY', 'false'],
    ['VAULT_SKIP_VERIFY', ''],
  ])('%s=%s turns nothing off', (name, value) => {
    expect(problems({ [name]: value })).toEqual([])
  })
})

describe('an address that is none is refused, and not quoted', () => {
  test.each([
    ['QUEUE_URL', 'CANARY'],
    ['QUEUE_URL', 'http://u:CANARY@localhost'],
    ['QUEUE_URL', 'redis://:CANARY#@localhost'],
    ['DATABASE_URL', 'postgres:///CANARY?host=db'],
    ['DATABASE_URL', 'mysql://u:CANARY@localhost'],
    ['TRANSIT_ADDR', 'bao.CANARY:8200'],
    ['TRANSIT_ADDR', 'https://u:CANARY@bao'],
    ['TRANSIT_ADDR', 'https://bao/CANARY'],
    ['TRANSIT_ADDR', 'https://bao?CANARY'],
    ['TRANSIT_ADDR', 'unix:///CANARY'],
    ['POLICY', 'http://u:CANARY@localhost'],
    ['POLICY', 'https://opa/?q=CANARY'],
    ['POLICY', 'https://opa/#CANARY'],
    ['POLICY', 'https://'],
    ['POLICY', 'http://[CANARY'],
    ['POLICY', 'HTTP://CANARY:x'],
  ])('%s=%s', (name, value) => {
    const said = problems({ [name]: value })
    expect(said).toHaveLength(1)
    expect(said[0]).toMatch(new RegExp(`^${name}`))
    expect(said[0]).not.toContain('CANARY')
  })
})

test('a path is a policy’s bundle, and no address', () => {
  const bundle = './policy/../policy/bundle'
  expect(readWorkerConfig({ ...workerSettings, POLICY: bundle }).policy.location).toBe(bundle)
})

test('a key that is to verify bundles is refused beside the address of a server, with all else that is wrong', () => {
  const key = fileOf('PEM')
  expect(problems({ POLICY_PUBLIC_KEY_FILE: key })).toEqual([])
  const said = problems({ POLICY: 'http://opa.example.com', POLICY_PUBLIC_KEY_FILE: key, LOG_LEVEL: 'loud' })
  const names = said.map((line) => /^\w+/.exec(line)?.[0])
  expect(names).toEqual(['POLICY', 'POLICY_PUBLIC_KEY_FILE', 'LOG_LEVEL'])
})

test.each([
  ['rediss://u:CANARY@queue.example.com:6379/0', 'queue.example.com:6379'],
  ['postgres://u:CANARY@[::1]/vault?password=CANARY', '[::1]'],
  ['u:CANARY@db', 'its address'],
  ['CANARY', 'its address'],
])('of an address only its host is shown: %s', (url, host) => {
  expect(hostOf(url)).toBe(host)
})

describe('METRICS_ADDR', () => {
  test.each([
    ['127.0.0.1:9464', { host: '127.0.0.1', port: 9464 }],
    ['[::]:9464', { host: '::', port: 9464 }],
    ['localhost:0', { host: 'localhost', port: 0 }],
    ['metrics-1.example.com:65535', { host: 'metrics-1.example.com', port: 65_535 }],
  ])('%s is where to listen', (text, address) => {
    expect(readWorkerConfig({ ...workerSettings, METRICS_ADDR: text }).metricsAddress).toEqual(address)
  })

  test('unset, nothing is listened on', () => {
    expect(readWorkerConfig(workerSettings).metricsAddress).toBeUndefined()
    expect(readWorkerConfig({ ...workerSettings, METRICS_ADDR: '' }).metricsAddress).toBeUndefined()
  })

  test.each([
    '9464',
    ':9464',
    '127.0.0.1',
    '127.0.0.1:',
    '127.0.0.1:70000',
    'http://127.0.0.1:9464',
    '::1:9464',
    '*:1',
  ])('%s is refused', (text) => {
    expect(problems({ METRICS_ADDR: text })).toEqual(['METRICS_ADDR must be host:port, such as 127.0.0.1:9464'])
  })
})

test('an authority of Postgres that cannot be read is said with all else, and not when the first connection fails', () => {
  const url = (file: string) => `postgres://db.example.com/x?sslmode=verify-full&sslrootcert=${file}`
  expect(problems({ DATABASE_URL: url('/nowhere/ca.pem') })).toEqual([expect.stringContaining('sslrootcert')])
  expect(problems({ DATABASE_URL: url(import.meta.filename) })).toEqual([])
})
