import { Pool } from 'undici'
import { readWorkerConfig } from '../../shared/config/environment.ts'
import { kekName } from '../../shared/contract/names.ts'
import { OpenBaoHttp } from '../../shared/transit/http.ts'
import { Login, secretIdFromFile } from '../../shared/transit/login.ts'
import type { Extent } from '../load/closed-loop.ts'
import { closedLoop } from '../load/closed-loop.ts'
import { openLoop } from '../load/open-loop.ts'
import { serve } from './ipc.ts'

// Asks Transit as directly as undici lets one, under the AppRole of a worker pool: the ceiling of everything built on it.

interface TransitCall {
  readonly operation: 'decrypt' | 'encrypt'
  /** What one call asks for; a batch of one is `single`, without `batch_input`. */
  readonly batch: number | 'single'
}

const config = readWorkerConfig(process.env)
const http = new OpenBaoHttp(config.transit)
const login = new Login(http, { roleId: config.roleId, secretId: secretIdFromFile(config.secretIdFile) })
const token = (await login.token()).reveal()
const pools = new Map<number, Pool>()
let items = { decrypt: [] as object[], encrypt: [] as object[] }

/** By hand, since a schema library would be the client's greatest cost here. */
function isWhole(body: unknown, size: number): boolean {
  const { data } = body as { data?: { batch_results?: { error?: unknown }[] } }
  const results = data?.batch_results
  return results?.length === size && results.every((result) => result.error === undefined || result.error === '')
}

const handlers = {
  /** What is unwrapped and wrapped from now on. */
  use: ({ ciphertexts, plaintexts }: { ciphertexts: readonly string[]; plaintexts: readonly string[] }) => {
    items = {
      decrypt: ciphertexts.map((ciphertext) => ({ ciphertext })),
      encrypt: plaintexts.map((plaintext) => ({ plaintext })),
    }
  },
  closed: ({ callers, extent, ...call }: TransitCall & { callers: number; extent: Extent }) =>
    closedLoop(callers, extent, caller(call, callers)),
  open: ({ arrivals, ...call }: TransitCall & { arrivals: readonly number[] }) =>
    openLoop(arrivals, caller(call, connectionsOfOpenLoop)),
}
export type TransitLoadHandlers = typeof handlers

/** As many as OpenBaoHttp of the workers has. */
const connectionsOfOpenLoop = 64

function caller({ operation, batch }: TransitCall, connections: number): (index: number) => Promise<void> {
  const pool = poolOf(connections)
  const all = items[operation]
  const size = batch === 'single' ? 1 : batch
  return async (index) => {
    const first = (index * size) % (all.length - size + 1)
    const asked = all.slice(first, first + size)
    const answer = await pool.request({
      method: 'POST',
      path: `/v1/transit/${operation}/${kekName}`,
      headers: { 'x-vault-token': token, 'content-type': 'application/json' },
      body: JSON.stringify(batch === 'single' ? asked[0] : { batch_input: asked }),
    })
    const body: unknown = JSON.parse(await answer.body.text())
    if (answer.statusCode !== 200) throw new Error(`Transit answered ${answer.statusCode}`)
    if (batch === 'single') return
    if (!isWhole(body, size)) throw new Error('Transit failed an item')
  }
}

function poolOf(connections: number): Pool {
  const pool = pools.get(connections) ?? new Pool(config.transit.address, { connections })
  pools.set(connections, pool)
  return pool
}

serve(handlers, async () => {
  await Promise.all([...pools.values()].map((pool) => pool.destroy()))
  await login.close()
  await http.close()
})
