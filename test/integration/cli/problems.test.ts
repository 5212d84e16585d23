import { chmodSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { useCli } from './use-cli.ts'

/* Bad options, files, settings and servers: what is said, the exit code, and that nothing is left behind. No worker runs. */

const cli = useCli()
const { place } = cli

beforeEach(() => {
  place.write('a.csv', 'id,E-mail\n1,secret-value@example.com\n')
})
afterEach(() => {
  expect(place.files().filter((name) => name.endsWith('.partial'))).toEqual([])
})

const purpose = ['--purpose', 'test']
const pii = (args: string[], changes: Record<string, string> = {}) => cli.run(args, { env: { ...cli.env, ...changes } })

describe('options', () => {
  test.each([
    ['nothing but a file', [], ['--fields email,phone   the columns of a.csv that hold PII', '--purpose import']],
    ['no --fields', purpose, ['--fields email,phone']],
    ['no --purpose', ['--fields', 'id'], ['--purpose import']],
    ['a purpose that is none', ['--fields', 'id', '--purpose', 'A b'], ['A purpose is 1 to 64 of a to z']],
    ['a reason with a control character', ['--reason', 'a\nb'], ['A reason has up to 256 characters']],
    ['an option that is none', [...purpose, '--feilds', 'id'], ["unknown option '--feilds'", 'Did you mean --fields?']],
    ['a format that is none', ['--format', 'xml'], ['Allowed choices are csv, ndjson']],
    ['a list of fields that cannot be read', [...purpose, '--fields', 'a,,b'], ['is there a comma too many?']],
    ['a field that is none', [...purpose, '--fields', 'id=Id'], ['"Id", given for column "id", is no field name']],
    ['a column named twice', [...purpose, '--fields', 'id,id'], ['names column "id" twice']],
    ['a delimiter that is none', [...purpose, '--fields', 'id', '--delimiter', 'ab'], ['must be one ASCII character']],
    ['an encoding that is none', [...purpose, '--fields', 'id', '--encoding', 'utf-9'], ['Unknown encoding "utf-9"']],
  ])('%s: exit code 2, and what to do', async (_, options, messages) => {
    const { code, stdout, stderr } = await pii(['tokenize', 'a.csv', ...options])
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^pii-vault: /)
    for (const message of messages) expect(stderr).toContain(message)
    expect(place.files()).toEqual(['a.csv'])
  })
})

describe('files', () => {
  test.each([
    [
      'a column that is not there',
      'a.csv',
      'E-Mail',
      'has no column "E-Mail". Did you mean "E-mail"? The names of its',
    ],
    ['a file that is not there', 'b.csv', 'id', 'There is no file b.csv.'],
    ['a directory', '.', 'id', '. is a directory: name a file in it.'],
    ['no text in it', 'empty.csv', 'id', 'empty.csv: The file is empty'],
    ['a quote where none may be', 'quote.csv', 'id', 'quote.csv: Row 2 (line 3): a quote stands where none may be'],
    ['UTF-16', 'utf16.csv', 'id', 'use --encoding utf-16le'],
    ['bytes that are not UTF-8', 'a.ndjson', 'id', 'a.ndjson: Row 2 (line 2): byte 0xE9 is not valid UTF-8'],
    ['a key that is nowhere', 'b.ndjson', 'Id', 'b.ndjson: The file has no column "Id". Did you mean "id"?'],
  ])('%s: exit code 1, and nothing is sent', async (_, file, column, message) => {
    place.write('empty.csv', '')
    place.write('quote.csv', 'id\n1\n"secret"value\n')
    place.write('utf16.csv', Buffer.from('\ufeffid\n1\n', 'utf16le'))
    place.write('a.ndjson', Buffer.from('{"id":"1"}\n{"id":"\xe9"}\n', 'latin1'))
    place.write('b.ndjson', '{"id":"secret-value"}\n')
    const before = place.files()
    const { code, stdout, stderr } = await pii([
      'tokenize',
      file,
      '--format',
      file.endsWith('n') ? 'ndjson' : 'csv',
      '--fields',
      `${column}=x`,
      ...purpose,
    ])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
    expect(stderr).not.toContain('secret')
    expect(place.files()).toEqual(before)
    expect(await cli.vault.queue('tokenize').count()).toBe(0)
  })

  test.skipIf(process.getuid?.() === 0)('one that may not be read', async () => {
    chmodSync(place.path('a.csv'), 0)
    const { code, stderr } = await pii(['tokenize', 'a.csv', '--fields', 'id', ...purpose])
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'pii-vault: a.csv cannot be read: permission denied.\n' })
  })
})

describe('settings', () => {
  const tokenize = ['tokenize', 'a.csv', '--fields', 'id', ...purpose]

  test('everything that is missing is said at once', async () => {
    const { code, stderr } = await cli.run(tokenize, { env: {} })
    expect(code).toBe(2)
    for (const name of ['QUEUE_URL', 'TRANSIT_ADDR', 'ACTOR_CREDENTIALS_FILE'])
      expect(stderr).toContain(`\n  - ${name} is not set: `)
  })

  test('everything that is wrong is said at once, without quoting it', async () => {
    const file = place.write('credentials.json', '{"actor":"app","secret_id":"secret"}')
    const { code, stderr } = await pii(tokenize, {
      QUEUE_URL: 'redis://:secret@queue.example.com',
      QUEUE_PREFIX: 'se cret',
      TRANSIT_ADDR: 'localhost:8200/secret',
      ACTOR_CREDENTIALS_FILE: file,
      VAULT_SKIP_VERIFY: 'true',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
    })
    expect(code).toBe(2)
    for (const said of [
      'QUEUE_URL leads beyond this machine without verified TLS',
      'QUEUE_PREFIX must be',
      'TRANSIT_ADDR is no usable address',
      'ACTOR_CREDENTIALS_FILE names a file without `actor`, `role_id` and `secret_id`',
      'VAULT_SKIP_VERIFY asks not to verify certificates',
      'NODE_TLS_REJECT_UNAUTHORIZED=0',
    ])
      expect(stderr).toContain(said)
    expect(stderr).not.toMatch(/se ?cret@|se cret|\/secret/)
  })

  test('credentials that OpenBao refuses: exit code 3', async () => {
    const { roleId, secretId, queueUrl } = await cli.vault.credentials(`other-${cli.vault.id}`)
    const secrets = { secret_id: `${secretId.reveal()}x`, queue_url: queueUrl }
    const content = { actor: `other-${cli.vault.id}`, role_id: roleId, ...secrets }
    const file = place.write('credentials.json', JSON.stringify(content))
    const { code, stderr } = await pii(tokenize, { ACTOR_CREDENTIALS_FILE: file })
    expect(code, stderr).toBe(3)
    expect(stderr).toContain(`refuses the credentials of the actor other-${cli.vault.id}`)
    expect(stderr).not.toContain(secretId.reveal())
  })
})

describe('a server that is not there', () => {
  const tokenize = ['tokenize', 'a.csv', '--fields', 'id', ...purpose]

  test.each([
    ['Redis', 'QUEUE_URL', (port: number) => `redis://:secret@127.0.0.1:${port}`],
    ['OpenBao', 'TRANSIT_ADDR', (port: number) => `http://127.0.0.1:${port}`],
  ])('%s: which one, at which address, what to do, within 10 s', async (server, variable, url) => {
    const port = await freePort()
    const started = performance.now()
    const { code, stderr } = await pii(tokenize, { [variable]: url(port) })
    expect(performance.now() - started).toBeLessThan(10_000)
    expect(code).toBe(1)
    expect(stderr).toMatch(/^pii-vault: .*\n$/)
    for (const said of [server, `127.0.0.1:${port}`, `(${variable})`, 'is it running']) expect(stderr).toContain(said)
    expect(stderr).not.toContain('secret')
    expect(place.files()).toEqual(['a.csv'])
  })
})
