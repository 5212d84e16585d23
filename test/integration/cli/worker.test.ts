import { describe, expect, test } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { useCli } from './use-cli.ts'

const cli = useCli()
const { place } = cli

/** `pii-vault worker detok` with some settings other than they should be. */
const detokWith = (changes: Record<string, string>) =>
  cli.run(['worker', 'detok'], { env: { ...cli.vault.environment('detok'), ...changes } })

test('a replica of each pool, as a process of its own, serves the commands and leaves at SIGTERM with exit code 0', async () => {
  place.write('a.csv', 'email\na@example.com\n')
  const workers = (['tokenize', 'detok'] as const).map((queue) =>
    cli.start(['worker', queue], { env: { ...cli.vault.environment(queue), LOG_LEVEL: 'info' } }),
  )
  try {
    await Promise.all(workers.map((worker) => worker.said('"replica started"')))
    const options = ['--fields', 'email', '--purpose', 'test']
    expect(await cli.run(['tokenize', 'a.csv', ...options])).toMatchObject({ code: 0 })
    const back = await cli.run(['detok', 'a.tokenized.csv', ...options, '--out', '-'])
    expect(back).toMatchObject({ code: 0, stdout: 'email\na@example.com\n' })
  } finally {
    for (const worker of workers) worker.kill('SIGTERM')
  }
  for (const { code, stdout, stderr } of await Promise.all(workers.map(({ ended }) => ended))) {
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    for (const line of stderr.trimEnd().split('\n')) expect(() => JSON.parse(line) as unknown, line).not.toThrow()
    expect(stderr).toContain('"replica stopped"')
    expect(stderr).not.toContain('example.com')
  }
})

test('everything that is missing in its environment is said at once: exit code 2', async () => {
  const { code, stderr } = await cli.run(['worker', 'detok'], { env: {} })
  expect(code).toBe(2)
  const names = ['QUEUE_URL', 'DATABASE_URL', 'TRANSIT_ADDR', 'TRANSIT_ROLE_ID', 'TRANSIT_SECRET_ID_FILE', 'POLICY']
  for (const name of names) expect(stderr).toContain(`\n  - ${name} is not set: `)
})

test('everything that is wrong in its environment is said at once, and not quoted: exit code 2', async () => {
  const { code, stderr } = await detokWith({
    QUEUE_URL: 'http://secret',
    DATABASE_URL: 'postgres://u:secret@db.example.com/vault?sslmode=require',
    TRANSIT_ADDR: 'http://bao.example.com:8200',
    LOG_LEVEL: 'secret',
  })
  expect(code).toBe(2)
  for (const said of [
    'QUEUE_URL is no usable address',
    'DATABASE_URL leads beyond this machine without verified TLS: use sslmode=verify-full',
    'TRANSIT_ADDR leads beyond this machine without verified TLS: use https:',
    'LOG_LEVEL must be one of trace, debug, info, warn, error, silent',
  ])
    expect(stderr).toContain(said)
  expect(stderr).not.toContain('secret')
})

describe('a server that is not there, or refuses: which one, at which address, what to do, within 10 s', () => {
  test.each([
    ['Redis', 'QUEUE_URL', (port: number) => `redis://:secret@127.0.0.1:${port}`],
    ['Postgres', 'DATABASE_URL', (port: number) => `postgres://u:secret@127.0.0.1:${port}/vault`],
    ['OpenBao', 'TRANSIT_ADDR', (port: number) => `http://127.0.0.1:${port}`],
  ])('%s', async (server, variable, url) => {
    const port = await freePort()
    const started = performance.now()
    const { code, stderr } = await detokWith({ [variable]: url(port) })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(code).toBe(1)
    for (const said of [server, `127.0.0.1:${port}`, `(${variable})`, 'is it running']) expect(stderr).toContain(said)
    expect(stderr).not.toContain('secret')
  })

  test('a wrong secret id: exit code 3, after two tries, so that the role is not locked', async () => {
    const { roleId } = await cli.vault.credentials(`other-${cli.vault.id}`)
    const { code, stderr } = await detokWith({
      TRANSIT_ROLE_ID: roleId,
      TRANSIT_SECRET_ID_FILE: place.write('secret-id', 'wrong'),
    })
    expect(code).toBe(3)
    expect(stderr).toContain('OpenBao refused the AppRole credentials twice')
  })

  test('a policy that is not there', async () => {
    const { code, stderr } = await detokWith({ POLICY: place.path('nowhere') })
    expect(code).toBe(2)
    expect(stderr).toContain('\n  - POLICY names no file or directory that can be read')
  })
})
