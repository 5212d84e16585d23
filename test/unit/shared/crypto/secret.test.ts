import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from '../../../../shared/crypto/secret.ts'
import { createLogger, describeError } from '../../../../shared/log/log.ts'

const canary = 'canary-7f3a@example.com'
const bytes = Buffer.from(canary)
const secrets = { text: new Secret(canary), key: new Secret(bytes) }
// The value itself, and the forms in which bytes are printed.
const forms = [canary, bytes.toString('hex'), bytes.toString('base64'), bytes.join(','), bytes.join(', '), 'canary']

function sink(): { stream: Writable; text: () => string } {
  let written = ''
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += String(chunk)
      done()
    },
  })
  return { stream, text: () => written }
}

const ways: Record<string, (secret: Secret | Secret<Buffer>) => string> = {
  'a template string': (secret) => `${secret}`,
  'String and concatenation': (secret) => String(secret).concat(String([secret])),
  JSON: (secret) => JSON.stringify({ secret, list: [secret] }),
  inspect: (secret) =>
    inspect({ deep: { secret } }, { depth: 9, showHidden: true, getters: true, customInspect: true }),
  'inspect without custom functions': (secret) => inspect(secret, { customInspect: false, showHidden: true, depth: 9 }),
  format: (secret) => format('%s %j %o %O %d', secret, secret, secret, secret, secret),
  'an error message': (secret) => {
    const error = new Error(`failed with ${secret}`, { cause: secret })
    return `${error.stack} ${inspect(error)} ${JSON.stringify(describeError(error))}`
  },
  'its members': (secret) =>
    [...Object.entries(secret), ...Object.getOwnPropertyNames(secret), JSON.stringify({ ...secret })].join(),
  'a structured clone': (secret) => inspect(structuredClone(secret), { depth: 9, showHidden: true }),
  'console.log': (secret) => {
    const { stream, text } = sink()
    const console = new Console(stream)
    console.log(secret, { secret })
    console.dir(secret, { showHidden: true })
    console.table([{ secret }])
    return text()
  },
  'our logger': (secret) => {
    const { stream, text } = sink()
    const log = createLogger('trace', 'test', stream)
    log.info({ secret, deep: { secret } }, `${secret}`)
    log.error({ err: new Error(String(secret)) })
    return text()
  },
}

test.each(Object.entries(ways))('a secret is not shown by %s', (_, show) => {
  for (const secret of Object.values(secrets)) {
    const shown = show(secret)
    for (const form of forms) expect(shown).not.toContain(form)
  }
})

test('what is printed says that there is a secret', () => {
  for (const secret of Object.values(secrets)) {
    expect([`${secret}`, inspect(secret), JSON.stringify(secret)]).toEqual(['[secret]', '[secret]', '"[secret]"'])
  }
})

test('only reveal gives the content out', () => {
  expect(secrets.text.reveal()).toBe(canary)
  expect(secrets.key.reveal()).toEqual(Buffer.from(canary))
})

test('a wiped key is zeros, in the very bytes it was made of', () => {
  const key = Buffer.from('0123456789abcdef')
  new Secret(key).wipe()
  expect(key.equals(Buffer.alloc(16))).toBe(true)
})
