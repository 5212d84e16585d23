import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../../producers/index.ts'
import { addActor, listActors, OpenBaoAdmin, removeActor, revokeActor } from '../../../provision/index.ts'
import { readKey } from '../../../provision/transit.ts'
import { queues } from '../../../shared/contract/grammar.ts'
import { sessionKeyName } from '../../../shared/contract/names.ts'
import { Secret } from '../../../shared/crypto/secret.ts'
import { exitCodes } from '../../../shared/errors/user-error.ts'
import { OpenBaoHttp } from '../../../shared/transit/http.ts'
import { RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let http: OpenBaoHttp
const purpose = 'test'
const nothing = () => undefined

beforeAll(async () => {
  vault = await TestVault.open()
  http = new OpenBaoHttp({ address: vault.stack.transitAddr })
  vault.onClose(() => http.close())
})
afterAll(() => vault.close())

const logIn = ({ roleId, secretId }: TestActor) =>
  http.request('POST', 'auth/approle/login', undefined, { role_id: roleId, secret_id: secretId.reveal() })

const states = async (name: string) => (await listActors(vault.bao)).find((actor) => actor.name === name)

describe('an actor that is revoked', () => {
  let app: TestActor
  let bystander: TestActor
  let client: Client
  let loggedIn: Secret
  const reported: string[] = []

  beforeAll(async () => {
    app = await vault.actor('revoked')
    bystander = await vault.actor('bystander')
    client = await vault.client(app)
    loggedIn = new Secret(((await logIn(app)).body as { auth: { client_token: string } }).auth.client_token)
    const replica = await vault.replica('tokenize')
    expect(await client.tokenize([{ field: 'note', value: 'x' }], { purpose })).toMatchObject([{ ok: true }])
    await replica.close(5_000) // which may keep the session key for up to 60 seconds
    await revokeActor(vault.bao, app.name, (done) => reported.push(done))
    await vault.replica('tokenize')
  })

  test('is refused what is in flight: its sessions open nowhere any more', async () => {
    const before = (await vault.audit(app.name)).length
    await expect(client.tokenize([{ field: 'note', value: 'x' }], { purpose })).rejects.toThrow('credentials')
    const rows = (await vault.audit(app.name)).slice(before)
    expect(rows).toMatchObject([{ outcome: 'unauthenticated', actor: null, claimed_actor: app.name }])
  })

  test('has no token and no secret id left', async () => {
    expect((await http.request('GET', 'auth/token/lookup-self', loggedIn)).status).toBe(403)
    expect((await logIn(app)).status).toBe(400)
    await expect(vault.client(app)).rejects.toMatchObject({ name: 'UserError' })
    expect(await vault.bao.list(`auth/approle/role/pii-actor-${app.name}/secret-id`)).toEqual([])
  })

  test('is listed with the versions of its keys that are still accepted', async () => {
    expect(await states(app.name)).toEqual({
      name: app.name,
      keys: queues.map((queue) => ({ queue, version: 2, accepted: 2 })),
    })
    expect(reported).toContainEqual(expect.stringMatching(/^destroyed 1 secret ids and revoked \d+ tokens/))
  })

  test('takes nobody else with it', async () => {
    expect(await states(bystander.name)).toMatchObject({ keys: [{ accepted: 1 }, { accepted: 1 }] })
    const other = await vault.client(bystander)
    expect(await other.tokenize([{ field: 'note', value: 'x' }], { purpose })).toMatchObject([{ ok: true }])
  })

  test('works again with credentials that are added again, whatever the old ones were tried for meanwhile', async () => {
    for (let tries = 1; tries <= 6; tries++) await logIn(app) // five bad ones lock a role id
    const again = { ...app, ...(await vault.credentials(app.name)) }
    const renewed = await vault.client(again)
    expect(await renewed.tokenize([{ field: 'note', value: 'x' }], { purpose })).toMatchObject([{ ok: true }])
  })
})

test('credentials that are added to an actor leave the earlier ones working', async () => {
  const app = await vault.actor('twice')
  const reported: string[] = []
  const { roleId, secretId } = await addActor(vault.bao, app.name, (done) => reported.push(done))
  expect(reported, 'nothing had to be made').toEqual([])
  expect((await logIn(app)).status).toBe(200)
  expect((await logIn({ ...app, roleId, secretId: new Secret(secretId) })).status).toBe(200)
})

describe('an actor that is removed', () => {
  let app: TestActor

  beforeAll(async () => {
    app = await vault.actor('removed')
    const raw = new RawProducer(vault, app)
    const request = await raw.request('detok', { purpose, items: [{ token: 'x' }] })
    await removeActor(vault.bao, app.name, nothing)
    await vault.replica('detok')
    await raw.put(request)
  })

  test('is refused what lay on the queue', async () => {
    const seen = async () => (await vault.audit(app.name)).map(({ outcome }) => outcome)
    await until('it is audited', async () => (await seen()).length > 0)
    expect(await seen()).toEqual(['unauthenticated'])
  })

  test('leaves no key, policy, role or login behind', async () => {
    for (const queue of queues) expect(await readKey(vault.bao, sessionKeyName(queue, app.name))).toBeUndefined()
    expect(await vault.bao.read(`sys/policies/acl/pii-actor-${app.name}`)).toBeUndefined()
    expect(await vault.bao.read(`auth/approle/role/pii-actor-${app.name}`)).toBeUndefined()
    expect((await logIn(app)).status).toBe(400)
    expect(await states(app.name)).toBeUndefined()
  })

  test('cannot be removed or revoked once more', async () => {
    for (const act of [removeActor, revokeActor]) {
      await expect(act(vault.bao, app.name, nothing)).rejects.toMatchObject({
        ...{ name: 'UserError', exitCode: exitCodes.failed, message: expect.stringContaining(`no actor ${app.name}`) },
      })
    }
  })

  test('can be removed again after a removal that broke off', async () => {
    const half = await vault.actor('half')
    const key = sessionKeyName('detok', half.name)
    await vault.bao.write(`transit/keys/${key}/config`, { deletion_allowed: true })
    await vault.bao.delete(`transit/keys/${key}`)
    expect(await states(half.name)).toMatchObject({ keys: [{ version: 0 }, { version: 1 }] })
    await removeActor(vault.bao, half.name, nothing)
    expect(await states(half.name)).toBeUndefined()
  })
})

describe('an administrator whose token may not do all of it', () => {
  /** Everything but this. */
  async function without(path: string): Promise<OpenBaoAdmin> {
    const policy = `without-${path.replaceAll('/', '-')}-${vault.id}`
    const rules = [
      'path "*" { capabilities = ["create", "read", "update", "delete", "list", "sudo"] }',
      `path "${path}" { capabilities = ["deny"] }`,
    ]
    await vault.bao.write(`sys/policies/acl/${policy}`, { policy: rules.join('\n') })
    const { auth } = await vault.bao.write('auth/token/create', { policies: [policy] }, created)
    const admin = new OpenBaoAdmin({ address: vault.stack.transitAddr }, new Secret(auth.client_token))
    vault.onClose(async () => {
      await admin.close()
      await vault.bao.write('auth/token/revoke', { token: auth.client_token })
      await vault.bao.delete(`sys/policies/acl/${policy}`)
    })
    return admin
  }
  const created = z.object({ auth: z.object({ client_token: z.string() }) })
  const lives = async (token: Secret) => (await http.request('GET', 'auth/token/lookup-self', token)).status === 200

  async function loggedIn(name: string) {
    const app = await vault.actor(name)
    return { app, token: new Secret(created.parse((await logIn(app)).body).auth.client_token) }
  }
  const tokensLeft = (command: string, actor: string) => ({
    name: 'UserError',
    message: expect.stringMatching(
      new RegExp(`^[0-9]+ tokens could not be looked up or revoked\\. .*\`pii-vault actor ${command} ${actor}\``),
    ),
  })

  test.each(['lookup-accessor', 'revoke-accessor'])('is told that tokens are left, without %s', async (what) => {
    const { app, token } = await loggedIn(`left-${what}`)
    const admin = await without(`auth/token/${what}`)
    await expect(revokeActor(admin, app.name, nothing)).rejects.toMatchObject(tokensLeft('revoke', app.name))
    expect(await lives(token)).toBe(true)
    expect(await states(app.name), 'what could be done was done').toMatchObject({
      keys: [{ accepted: 2 }, { accepted: 2 }],
    })
    await expect(removeActor(admin, app.name, nothing)).rejects.toMatchObject(tokensLeft('remove', app.name))
    expect(await states(app.name), 'there is something to remove again').toBeDefined()
    await removeActor(vault.bao, app.name, nothing)
    expect(await lives(token)).toBe(false)
    expect(await states(app.name)).toBeUndefined()
  })

  test('is refused where accessors cannot be listed', async () => {
    const { app, token } = await loggedIn('unlisted')
    const admin = await without('auth/token/accessors')
    await expect(revokeActor(admin, app.name, nothing)).rejects.toThrow('may not do this')
    await revokeActor(vault.bao, app.name, nothing)
    expect(await lives(token)).toBe(false)
  })
})

test.each(['', 'Upper', 'a b', 'a/b', '../pii', 'x'.repeat(65), 'ü'])('%j is no name: exit code 2', async (name) => {
  for (const act of [addActor, revokeActor, removeActor]) {
    await expect(act(vault.bao, name, nothing)).rejects.toMatchObject({ name: 'UserError', exitCode: exitCodes.usage })
  }
})
