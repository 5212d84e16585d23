import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sessionKeyName } from '../../../shared/contract/names.ts'
import { Child } from '../../harness/child.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import type { Order, Said } from './child.ts'

/*
 * A client that cannot be opened says which server, where, and what to do, within seconds and without a secret; and leaves
 * nothing open: each of these programs ends by itself.
 */

let vault: TestVault
let app: TestActor
/** Nobody listens on port 1. */
const nowhere = '127.0.0.1:1'

beforeAll(async () => {
  vault = await TestVault.open()
  app = await vault.actor()
})
afterAll(() => vault.close())

/** A server that accepts whoever comes and never says a word. */
async function silentServer(): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket.on('error', () => undefined)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  vault.onClose(async () => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function openIn(change: { transitAddr?: string } & Partial<TestActor>): Promise<Said> {
  const { name: actor, roleId, secretId, queueUrl } = { ...app, ...change }
  const order: Order = {
    config: {
      queue: { url: queueUrl, prefix: vault.prefix },
      transit: { address: change.transitAddr ?? vault.stack.transitAddr },
      credentials: { actor, roleId, secretId: secretId.reveal() },
    },
  }
  const child = new Child([fileURLToPath(new URL('child.ts', import.meta.url))], { input: JSON.stringify(order) })
  expect(await child.exited).toBe(0)
  expect(child.stderr).toBe('')
  for (const secret of [secretId.reveal(), new URL(app.queueUrl).password, 'wrong-password'])
    expect(child.stdout).not.toContain(secret)
  return JSON.parse(child.stdout) as Said
}

/** With these words in its message, in this order. */
const userError = (...words: string[]) => ({
  error: 'UserError',
  message: expect.stringMatching(new RegExp(words.map((word) => word.replaceAll('.', '\\.')).join('.*'), 's')),
})

test('opens and ends where all is in order', async () => {
  expect(await openIn({})).toEqual({ values: [] })
})

test.concurrent('Redis is not there', async () => {
  expect(await openIn({ queueUrl: `redis://:wrong-password@${nowhere}` })).toEqual(
    userError('Redis', nowhere, 'QUEUE_URL', 'running'),
  )
})

test.concurrent('Redis does not say a word', async () => {
  const silent = await silentServer()
  expect(await openIn({ queueUrl: `redis://${silent}` })).toEqual(userError('Redis', silent, 'QUEUE_URL', 'running'))
})

test.concurrent('Redis refuses the password', async () => {
  const url = new URL(vault.stack.queueUrl)
  url.password = 'wrong-password'
  expect(await openIn({ queueUrl: url.href })).toEqual(userError('Redis', url.host, 'QUEUE_URL', 'password'))
})

test('OpenBao is not there', async () => {
  expect(await openIn({ transitAddr: `http://${nowhere}` })).toEqual(
    userError('OpenBao', nowhere, 'TRANSIT_ADDR', 'running'),
  )
})

test('OpenBao refuses the credentials', async () => {
  const stranger = await vault.credentials(`stranger-${vault.id}`)
  expect(await openIn({ secretId: stranger.secretId })).toEqual(
    userError('OpenBao', app.name, `pii-vault actor add ${app.name}`),
  )
})

test('the actor has no session key', async () => {
  const { roleId, secretId } = await vault.credentials(`keyless-${vault.id}`)
  const keyless = { name: `keyless-${vault.id}`, roleId, secretId }
  const key = sessionKeyName('detok', keyless.name)
  await vault.bao.write(`transit/keys/${key}/config`, { deletion_allowed: true })
  await vault.bao.delete(`transit/keys/${key}`)
  expect(await openIn(keyless)).toEqual(userError('no session key', keyless.name, 'pii-vault actor add'))
})

test('the credentials are those of another actor', async () => {
  expect(await openIn({ name: `other-${vault.id}` })).toEqual(
    userError('no session key', `other-${vault.id}`, 'pii-vault actor add'),
  )
})
