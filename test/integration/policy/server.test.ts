import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { Unavailable } from '../../../shared/errors/server-errors.ts'
import { exitCodes, UserError } from '../../../shared/errors/user-error.ts'
import type { Policy, Question } from '../../../shared/policy/index.ts'
import { openPolicy } from '../../../shared/policy/index.ts'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'
import { describeWithOpa, silent, source, startOpaOn } from './opa.ts'

const question: Question = {
  actor: 'cli',
  tenant: 'demo',
  purpose: 'demo',
  action: 'detok',
  field: 'email',
  subject: 'Ada',
}

describeWithOpa('an OPA server', () => {
  test('that is down is Unavailable, and answers again once it is back', async () => {
    const port = await freePort()
    const policy = await openPolicy({ location: `http://127.0.0.1:${port}`, log: silent })
    await expect(policy.probe()).rejects.toThrow(Unavailable)
    await expect(policy.tenantOf('cli')).rejects.toThrow(Unavailable)

    const files = [`${source}/vault.rego`, `${source}/data.json`]
    const server = await startOpaOn(port, ...files)
    await policy.probe()
    expect(await policy.decide([question])).toMatchObject({ revision: 'unknown', decisions: [{ allow: true }] })
    await server.stop()
    await expect(policy.decide([question])).rejects.toThrow(Unavailable)

    const again = await startOpaOn(port, ...files)
    const answers = () =>
      policy.probe().then(
        () => true,
        () => false,
      )
    await until('it answers again', answers)
    await again.stop()
    await policy.close()
    await policy.close()
    await expect(policy.probe(), 'once closed').rejects.toThrow(Unavailable)
  })
})

describe('a server that answers as it likes', () => {
  let answer: (response: ServerResponse) => void
  const requests: { url: string | undefined; authorization: string | undefined }[] = []
  let server: Server
  let location: string
  const opened: Policy[] = []

  beforeAll(async () => {
    server = createServer((request, response) => {
      requests.push({ url: request.url, authorization: request.headers.authorization })
      answer(response)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    location = `http://127.0.0.1:${(server.address() as { port: number }).port}`
  })
  afterEach(async () => {
    for (const policy of opened.splice(0)) await policy.close()
    requests.length = 0
  })
  afterAll(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })

  async function open(path = '', timeoutMs = 10_000): Promise<Policy> {
    const policy = await openPolicy({ location: location + path, log: silent, timeoutMs })
    opened.push(policy)
    return policy
  }
  const json = (status: number, body: unknown) => (response: ServerResponse) =>
    response.writeHead(status, { location: '/elsewhere' }).end(JSON.stringify(body))

  test.each([
    [301, 'redirect'],
    [307, 'redirect'],
    [400, 'unexpected answer'],
    [401, 'unexpected answer'],
    [403, 'unexpected answer'],
    [404, 'unexpected answer'],
    [429, 'throttled'],
    [500, 'server error'],
    [502, 'server error'],
    [503, 'server error'],
  ])('status %i is Unavailable: %s', async (status, reason) => {
    answer = json(status, { result: [{ allow: true, mask: 'full', reason: 'x' }], message: 'input was Ada' })
    const policy = await open()
    const error: unknown = await policy.decide([question]).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Unavailable)
    expect(error).toMatchObject({ dependency: 'policy', reason })
    expect(String(error)).toContain(`status ${status}`)
    expect(String(error)).not.toContain('Ada')
    await expect(policy.probe()).rejects.toThrow(Unavailable)
    expect(requests, 'no redirect is followed and nothing is asked twice').toHaveLength(2)
  })

  test('no answer in time is Unavailable, and not blameless: the question may be what takes so long', async () => {
    answer = () => {}
    await expect((await open('', 200)).decide([question])).rejects.toMatchObject(new Unavailable('policy', 'too slow'))
  })

  test('an answer that stops halfway is Unavailable', async () => {
    answer = (response) => response.writeHead(200).write('{"result": [')
    await expect((await open('', 200)).decide([question])).rejects.toMatchObject(new Unavailable('policy', 'too slow'))
  })

  test('an answer without end is Unavailable', async () => {
    answer = (response) => response.writeHead(200).end(`[${'"x",'.repeat(2_000_000)}"x"]`)
    await expect((await open()).decide([question])).rejects.toMatchObject({ reason: 'incomplete answer' })
  })

  test.each([
    ['no JSON', '<html>', 'no decision'],
    ['no result', '{}', 'no decision'],
    ['null', 'null', 'no decision'],
    ['a list', '[{"allow":true,"mask":"full","reason":"x"}]', 'no decision'],
    ['another form', '{"result": true}', 'malformed decision'],
  ])('200 with %s is a denial', async (_, body, reason) => {
    answer = (response) => response.writeHead(200).end(body)
    expect((await (await open()).decide([question])).decisions).toEqual([{ allow: false, reason }])
  })

  test.each([
    [{ a: { revision: '7' } }, '7'],
    [{ b: { revision: '8' }, a: { revision: '7' } }, '7:8'],
    [{ a: { revision: '' } }, 'unknown'],
    [{ a: { revision: 'Ada <ada@example.org>' } }, 'unknown'],
    [{}, 'unknown'],
    [undefined, 'unknown'],
  ])('of the bundles %j the revision is %s', async (bundles, revision) => {
    answer = json(200, { provenance: { bundles }, result: [] })
    expect((await (await open()).decide([])).revision).toBe(revision)
  })

  test('is asked below the path of its URL, and given no credentials', async () => {
    answer = json(200, { result: 'demo' })
    const policy = await open('/opa')
    expect(await policy.tenantOf('cli')).toBe('demo')
    expect(requests).toEqual([{ url: '/opa/v1/data/vault/tenant?provenance=true', authorization: undefined }])
  })
})

test.each(['http://user:secret@opa', 'http://opa/?a=secret', 'http://opa/#secret', 'http://', 'https://[secret'])(
  '%s is no base URL, and is not quoted',
  async (location) => {
    const error: unknown = await openPolicy({ location, log: silent }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ exitCode: exitCodes.usage })
    expect(String(error)).not.toContain('secret')
  },
)

test('a public key for bundles is refused with a server, which would not heed it', async () => {
  const opening = openPolicy({ location: 'http://127.0.0.1:1', publicKeyFile: 'k.pem', log: silent })
  await expect(opening).rejects.toThrow(UserError)
  await expect(opening).rejects.toMatchObject({ exitCode: exitCodes.usage })
})
