import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import type { Client } from '../../../producers/index.ts'
import { exitCodes, UserError } from '../../../shared/errors/user-error.ts'
import { Load } from '../../harness/load.ts'
import { TestVault } from '../../harness/vault.ts'
import { WatchedReplica } from '../../harness/watched-replica.ts'
import { spawnWorker, startWorker } from '../../harness/worker-process.ts'

let vault: TestVault
let client: Client

beforeAll(async () => {
  vault = await TestVault.open()
  const actor = await vault.actor()
  await vault.replica('tokenize')
  client = await vault.client(actor)
})
afterAll(() => vault.close())

/** An AppRole with the rights of the detok pool, for one replica alone, so that its tokens can be told from others'. */
class Role {
  readonly name: string
  readonly #path: string

  constructor(test: string) {
    this.name = `test-${test}-${vault.id}`
    this.#path = `auth/approle/role/${this.name}`
  }

  /** The settings of a replica under this role. */
  async settings(): Promise<Record<string, string>> {
    await vault.bao.write(this.#path, { token_policies: ['pii-worker-detok'], token_ttl: '1h' })
    vault.onClose(() => vault.bao.delete(this.#path))
    const { role_id } = answer({ role_id: z.string() }).parse(await vault.bao.read(`${this.#path}/role-id`)).data
    const { secret_id } = answer({ secret_id: z.string() }).parse(
      await vault.bao.write(`${this.#path}/secret-id`, {}),
    ).data
    const file = join(vault.policyDirectory, `${this.name}.secret-id`)
    await writeFile(file, secret_id, { mode: 0o600 })
    return { TRANSIT_ROLE_ID: role_id, TRANSIT_SECRET_ID_FILE: file }
  }

  async destroySecretIds(): Promise<void> {
    for (const secret_id_accessor of await vault.bao.list(`${this.#path}/secret-id`)) {
      await vault.bao.write(`${this.#path}/secret-id-accessor/destroy`, { secret_id_accessor })
    }
  }

  /** Accessors of the tokens that were given out and live. */
  async tokens(): Promise<string[]> {
    const accessors = await vault.bao.list('auth/token/accessors')
    const own = await Promise.all(
      accessors.map(async (accessor) => {
        const state = await vault.bao.write('auth/token/lookup-accessor', { accessor }).catch(() => undefined)
        const of = answer({ meta: z.record(z.string(), z.string()).nullish() }).safeParse(state).data?.data.meta
        return of?.['role_name'] === this.name ? [accessor] : []
      }),
    )
    return own.flat()
  }

  async revokeTokens(): Promise<void> {
    for (const accessor of await this.tokens()) await vault.bao.write('auth/token/revoke-accessor', { accessor })
  }
}
const answer = <Shape extends z.ZodRawShape>(shape: Shape) => z.object({ data: z.object(shape) })

test('a token that is revoked under load is replaced by one login, and no item fails', async () => {
  const role = new Role('revoked')
  const watched = await WatchedReplica.start(vault, 'detok', await role.settings())
  const load = await Load.start(vault, client)
  for (let time = 0; time < 3; time++) {
    await load.more(20)
    const before = await role.tokens()
    expect(before, 'one token for the whole process').toHaveLength(1)
    await role.revokeTokens()
    await load.more(20)
    const after = await role.tokens()
    expect(after, 'and one login for its successor').toHaveLength(1)
    expect(after).not.toEqual(before)
  }
  expect(await load.end()).toEqual([])
  expect(watched.fatal).toEqual([])
  expect(watched.troubles).toEqual([])
  await watched.replica.close(5_000)
  expect(await role.tokens(), 'its token is given back when it leaves').toEqual([])
})

test('a wrong secret id at the start is said at once, and not tried again and again', async () => {
  const role = new Role('wrong')
  const settings = await role.settings()
  await writeFile(settings['TRANSIT_SECRET_ID_FILE'] ?? '', 'ffffffff-0000-0000-0000-000000000000')
  const error: unknown = await WatchedReplica.start(vault, 'detok', settings).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(UserError)
  expect(error).toMatchObject({ exitCode: exitCodes.credentials })
  // Five bad tries lock a role. This one is not locked.
  const watched = await WatchedReplica.start(vault, 'detok', await role.settings())
  await watched.replica.close(5_000)
})

test('a worker whose secret id is wrong ends with code 3 and says what to do', async () => {
  const role = new Role('process')
  const settings = await role.settings()
  await role.destroySecretIds()
  const worker = spawnWorker(vault, 'detok', settings)
  expect(await worker.exited).toBe(exitCodes.credentials)
  expect(worker.stderr).toContain('OpenBao refused the AppRole credentials')
  expect(worker.stderr).toContain('TRANSIT_ROLE_ID')
  expect(worker.stderr).not.toContain('Unexpected error')
})

test('a worker whose token and secret id are taken away ends with code 3, and another one answers', async () => {
  const role = new Role('taken')
  const worker = await startWorker(vault, 'detok', await role.settings())
  const load = await Load.start(vault, client)
  await load.more(20)
  await role.destroySecretIds()
  await role.revokeTokens()
  expect(await worker.exited).toBe(exitCodes.credentials)
  expect(worker.stderr).toContain('OpenBao refused the AppRole credentials')
  await vault.replica('detok')
  await load.more(20)
  expect(await load.end()).toEqual([])
  expect(await vault.queue('dead-detok').getJobs(), 'no job was given up').toEqual([])
})
