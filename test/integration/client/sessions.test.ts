import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Sessions } from '../../../producers/sessions.ts'
import { limits } from '../../../shared/contract/grammar.ts'
import { sessionKeyName } from '../../../shared/contract/names.ts'
import { openTransit } from '../../../shared/transit/index.ts'
import { tokensOf, valuesOf } from '../../harness/outcomes.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
const purpose = 'test'
const values = ['one', 'two']

beforeAll(async () => {
  vault = await TestVault.open()
})
afterAll(() => vault.close())

/** Old versions of the session key are shut off, as `actor revoke` does; the credentials stay. */
async function rotate({ name }: TestActor): Promise<void> {
  const key = sessionKeyName('detok', name)
  await vault.bao.write(`transit/keys/${key}/rotate`, {})
  await vault.bao.write(`transit/keys/${key}/config`, { min_decryption_version: 2 })
}

test('when a worker cannot open the session any more, the client starts another and asks again, unnoticed', async () => {
  const app = await vault.actor()
  await vault.replica('tokenize')
  const first = await vault.replica('detok')
  const client = await vault.client(app)
  const given = await client.tokenize(
    values.map((value) => ({ field: 'note', value })),
    { purpose },
  )
  const read = async () => valuesOf(await client.detok(tokensOf(given), { purpose }))
  expect(await read()).toEqual(values)
  await first.close(5_000) // with the session key that it keeps for a minute
  await rotate(app)
  await vault.replica('detok')
  expect(await read()).toEqual(values)
  const outcomes = (await vault.audit(app.name)).filter(({ action }) => action === 'detok').map((row) => row['outcome'])
  expect(outcomes).toEqual(['ok', 'ok', 'unauthenticated', 'ok', 'ok'])
  expect(await read(), 'the renewed session stays in use').toEqual(values)
  await until('all are read', async () => (await vault.queue(`reply-${app.name}`).count()) === 0)
})

describe('a session', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  async function open(name: string) {
    const app = await vault.actor(name)
    const role = { roleId: app.roleId, secretId: () => Promise.resolve(app.secretId) }
    const { transit, close } = openTransit({ address: vault.stack.transitAddr }, role)
    vault.onClose(close)
    return { transit, sessions: new Sessions(transit, app.name) }
  }

  test('is one for all who need it at once, and is used for an hour and no longer', async () => {
    const { transit, sessions } = await open('hour')
    vi.useFakeTimers({ toFake: ['Date'] })
    const [one, two] = await Promise.all([sessions.current('detok'), sessions.current('detok')])
    expect(one).toBe(two)
    expect(transit.calls).toBe(1)
    vi.advanceTimersByTime((limits.sessionUseSeconds - 1) * 1_000)
    expect(await sessions.current('detok')).toBe(one)
    vi.advanceTimersByTime(1_000)
    const next = await sessions.current('detok')
    expect(next.wrapped).not.toBe(one.wrapped)
    expect(next.until - one.until).toBeGreaterThanOrEqual(limits.sessionUseSeconds)
    expect(await sessions.keyOf('detok', one.wrapped, one.until), 'late replies still open').toBe(one.key)
    expect(transit.calls).toBe(2)
  })

  test('is of one queue: what was sealed for one cannot be passed off as for the other', async () => {
    const { sessions } = await open('queues')
    const { wrapped, until } = await sessions.current('detok')
    expect(await sessions.keyOf('tokenize', wrapped, until)).toBeUndefined()
    expect(await sessions.keyOf('detok', wrapped, until + 1)).toBeUndefined()
  })

  test('that could not be had is asked for again', async () => {
    const { sessions, transit } = await open('again')
    const dataKey = vi.spyOn(transit, 'dataKey').mockRejectedValueOnce(new Error('down'))
    await expect(sessions.current('detok')).rejects.toThrow('down')
    expect((await sessions.current('detok')).wrapped).toMatch(/^vault:v1:/)
    expect(dataKey).toHaveBeenCalledTimes(2)
  })

  test('that fails late does not take its successor along', async () => {
    const { sessions, transit } = await open('late')
    vi.useFakeTimers({ toFake: ['Date'] })
    const { promise, reject } = Promise.withResolvers<never>()
    vi.spyOn(transit, 'dataKey').mockReturnValueOnce(promise)
    const first = sessions.current('detok')
    vi.advanceTimersByTime(limits.sessionUseSeconds * 1_000)
    const second = await sessions.current('detok')
    reject(new Error('down'))
    await expect(first).rejects.toThrow('down')
    expect(await sessions.current('detok')).toBe(second)
  })
})
