import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { QueueName } from '../../shared/contract/grammar.ts'
import { kekName } from '../../shared/contract/names.ts'
import type { Bench } from '../bench.ts'
import type { Latency } from '../measure/statistics.ts'
import { latencyOf } from '../measure/statistics.ts'
import type { CpuTimes } from '../measure/usage.ts'
import { perItem, watchCpu } from '../measure/usage.ts'
import type { Child } from '../processes/ipc.ts'
import type { TransitLoadHandlers } from '../processes/transit-load.ts'
import type { Extent, Offered } from './closed-loop.ts'

const program = new URL('../processes/transit-load.ts', import.meta.url)

/** More than the largest batch, so that no two calls in a row ask for the same. OpenBao takes about 500 in one call. */
const preparedItems = 400
const dekBytes = 32

export interface RawLoad {
  readonly batch: number | 'single'
  readonly callers: number
  readonly extent: Extent
}

export interface RawResult {
  readonly calls: number
  readonly errors: number
  readonly seconds: number
  readonly callsPerS: number
  readonly itemsPerS: number
  /** Of calls, in milliseconds. */
  readonly latency: Latency
  readonly latenciesMs: readonly number[]
  /** Microseconds an item: `client` and `openbao`. */
  readonly cpuPerItem: CpuTimes
}

const wrapped = z.object({ data: z.object({ batch_results: z.array(z.object({ ciphertext: z.string() })) }) })

/** Raw Transit, asked by a process of its own under a pool's AppRole: `decrypt` as the detok pool, `encrypt` as the tokenize pool. */
export class RawTransit {
  readonly #bench: Bench
  readonly #child: Child<TransitLoadHandlers>
  readonly #operation: 'decrypt' | 'encrypt'

  static async start(bench: Bench, pool: QueueName): Promise<RawTransit> {
    const child = await bench.child<TransitLoadHandlers>(program, bench.vault.environment(pool))
    const plaintexts = Array.from({ length: preparedItems }, () => randomBytes(dekBytes).toString('base64'))
    const request = { batch_input: plaintexts.map((plaintext) => ({ plaintext })) }
    const { data } = await bench.vault.bao.write(`transit/encrypt/${kekName}`, request, wrapped)
    await child.ask('use', { plaintexts, ciphertexts: data.batch_results.map(({ ciphertext }) => ciphertext) })
    return new RawTransit(bench, child, pool === 'detok' ? 'decrypt' : 'encrypt')
  }

  private constructor(bench: Bench, child: Child<TransitLoadHandlers>, operation: 'decrypt' | 'encrypt') {
    this.#bench = bench
    this.#child = child
    this.#operation = operation
  }

  /** Connections opened and code compiled, so that neither is measured. */
  async warmUp({ batch, callers }: Pick<RawLoad, 'batch' | 'callers'>, seconds = 0.3): Promise<void> {
    await this.#child.ask('closed', { operation: this.#operation, batch, callers, extent: { seconds } })
  }

  async closed({ batch, callers, extent }: RawLoad): Promise<RawResult> {
    return this.#measure(batch, () => this.#child.ask('closed', { operation: this.#operation, batch, callers, extent }))
  }

  /** Calls at these times, in milliseconds; latencies count from them. */
  async open(batch: RawLoad['batch'], arrivals: readonly number[]): Promise<RawResult> {
    return this.#measure(batch, () => this.#child.ask('open', { operation: this.#operation, batch, arrivals }))
  }

  stop(): Promise<void> {
    return this.#child.stop()
  }

  async #measure(batch: RawLoad['batch'], run: () => Promise<Offered>): Promise<RawResult> {
    const cpu = watchCpu({ client: this.#child.pid, openbao: this.#bench.servers.openbao })
    const { latenciesMs, errors, seconds } = await run()
    const taken = cpu.taken()
    const calls = latenciesMs.length
    const items = calls * (batch === 'single' ? 1 : batch)
    return {
      calls,
      errors,
      seconds,
      callsPerS: calls / seconds,
      itemsPerS: items / seconds,
      latency: latencyOf(latenciesMs),
      latenciesMs,
      cpuPerItem: perItem(taken, items),
    }
  }
}
