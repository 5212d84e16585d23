import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { Load } from '../../harness/load.ts'
import { TestVault } from '../../harness/vault.ts'
import { WatchedReplica } from '../../harness/watched-replica.ts'
import { describeWithOpa, source, startOpaOn } from '../policy/opa.ts'

describeWithOpa('an OPA server that is down', () => {
  let vault: TestVault

  beforeAll(async () => {
    vault = await TestVault.open()
  })
  afterAll(() => vault.close())

  test('closes the intake, which opens by itself, and nothing is denied for it', async () => {
    const actor = await vault.actor()
    const port = await freePort()
    const start = () => startOpaOn(port, join(source, 'vault.rego'), join(vault.policyDirectory, 'data.json'))
    let opa = await start()
    vault.onClose(() => opa.stop())
    const replicas = [
      await WatchedReplica.start(vault, 'detok', { POLICY: opa.url }),
      await WatchedReplica.start(vault, 'tokenize', { POLICY: opa.url }),
    ]
    const load = await Load.start(vault, await vault.client(actor))
    await load.more(20)
    await opa.stop()
    await Promise.all(replicas.map((replica) => replica.said('dependency down: intake closed', 'policy')))
    opa = await start()
    await Promise.all(replicas.map((replica) => replica.said('dependency up: intake open', 'policy')))
    await load.more(20)
    expect(await load.end()).toEqual([])
    expect((await vault.audit(actor.name)).filter(({ outcome }) => outcome !== 'ok')).toEqual([])
  })
})
