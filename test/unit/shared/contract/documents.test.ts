import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { replyAad, requestAad, sessionAad } from '../../../../shared/contract/associated-data.ts'
import { replyEnvelope } from '../../../../shared/contract/reply.ts'
import { requestEnvelope } from '../../../../shared/contract/request.ts'
import { asyncApiDocument } from '../../../../shared/contract/schema/asyncapi.ts'
import { contractDirectory, contractDocuments } from '../../../../shared/contract/schema/documents.ts'
import { jsonSchemas } from '../../../../shared/contract/schema/json-schemas.ts'
import { bodyCharacters } from '../../../../shared/contract/seal.ts'
import { itemErrors, requestErrors } from '../../../../shared/errors/catalogue.ts'
import { readVectors } from './vectors.ts'

const committed = (name: string): Promise<string> => readFile(join(contractDirectory, name), 'utf8')

test.each([...contractDocuments()])('docs/contract/%s is what the code says', async (name, text) => {
  expect(await committed(name), 'run shared/contract/schema/build.ts').toBe(text)
})

test('docs/contract/schemas holds the schemas of the contract and no others', async () => {
  const expected = Object.keys(jsonSchemas()).map((name) => `${name}.json`)
  expect((await readdir(join(contractDirectory, 'schemas'))).sort()).toEqual(expected.sort())
})

test('codes.md has a row for each code of the catalogue, and no other', async () => {
  const rows = (await committed('codes.md')).matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \|$/gm)
  const expected = [...Object.entries(itemErrors), ...Object.entries(requestErrors)]
  expect([...rows].map(([, ...row]) => row)).toEqual(
    expected.map(([code, { retryable, message }]) => [code, retryable ? 'retryable' : 'final', message]),
  )
})

test('the literal bytes in README.md are those that the code makes', async () => {
  const readme = await committed('README.md')
  const [, request] = readVectors('request').find(([name]) => name === 'detok-minimal') ?? []
  const [, reply] = readVectors('reply').find(([name]) => name === 'detok-value') ?? []
  const session = sessionAad('detok', 'svc-export', 1_790_086_400)
  const examples = [
    session,
    requestAad('detok', requestEnvelope.parse(request?.data)),
    replyAad(replyEnvelope.parse(reply?.data)),
  ]
  for (const bytes of examples) {
    expect(readme).toContain(`\n${bytes.toString().replaceAll('\n', '\\n')}\n${bytes.toString('hex')}\n`)
    expect(readme).toContain(`${bytes.length} bytes`)
  }
  expect(readme).toContain(session.toString('base64'))
  expect(readme).toContain(bodyCharacters.toLocaleString('en'))
  const vectors = ['request', 'reply', 'hint', 'record'] as const
  expect(readme).toContain(
    `${vectors.reduce((sum, kind) => sum + readVectors(kind).length, 0)} requests, replies, hints`,
  )
})

type Node = { readonly [member: string]: unknown }
const nodesIn = (value: unknown): Node[] =>
  typeof value === 'object' && value !== null ? [value as Node, ...Object.values(value).flatMap(nodesIn)] : []

test('every reference in the AsyncAPI document leads somewhere in it', () => {
  const document: unknown = asyncApiDocument()
  const references = nodesIn(document).flatMap(({ $ref }) => ($ref === undefined ? [] : [String($ref)]))
  expect(references.length).toBeGreaterThan(10)
  for (const reference of references) {
    const [root, ...path] = reference.split('/')
    expect(root, 'only within the document').toBe('#')
    expect(
      path.reduce((at, member) => (at as Node | undefined)?.[member], document),
      reference,
    ).toBeDefined()
  }
})

test('the AsyncAPI document has the members that AsyncAPI 3 requires', () => {
  const document = asyncApiDocument() as Record<string, Record<string, Node>>
  expect(document).toMatchObject({
    asyncapi: '3.0.0',
    info: { title: expect.any(String), version: expect.any(String) },
    channels: { detok: { address: 'detok' }, tokenize: { address: 'tokenize' }, reply: { address: null } },
  })
  for (const operation of Object.values(document['operations'] ?? {})) {
    expect(operation).toMatchObject({ action: 'receive', channel: { $ref: expect.any(String) } })
    // Messages of an operation must be those of its channel, by reference to the channel.
    const channel = (operation['channel'] as Node)['$ref']
    for (const message of operation['messages'] as Node[]) expect(message['$ref']).toContain(`${channel}/messages/`)
  }
})

test('every pattern of the schemas means the same in languages where $ also matches before a last line break', () => {
  const patterned = nodesIn(jsonSchemas()).filter(({ pattern }) => typeof pattern === 'string')
  expect(patterned.length).toBeGreaterThan(10)
  for (const { pattern, not } of patterned) {
    // Either it forbids characters anywhere, or it is anchored and everything outside printable ASCII is forbidden.
    if (/^\[.*\]$/.test(String(pattern))) continue
    expect(pattern).toMatch(/^\^.*\$$/)
    expect(pattern, 'no escapes that another language may lack').not.toMatch(/\\[^.]/)
    expect(not).toEqual({ pattern: '[^!-~]' })
  }
})
