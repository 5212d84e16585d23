import { say } from '../cli/terminal.ts'
import { removeActor } from '../provision/index.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { stackStatus } from '../stack/index.ts'
import { tokensOf } from '../test/harness/outcomes.ts'
import { RawProducer } from '../test/harness/raw-producer.ts'
import type { TestActor } from '../test/harness/vault.ts'
import { TestVault } from '../test/harness/vault.ts'
import { valueItem } from './load/items.ts'
import type { Handlers } from './processes/ipc.ts'
import { Child } from './processes/ipc.ts'
import type { WorkerHandlers } from './processes/worker.ts'

/** Pids of the servers; undefined for one that is not ours to see, whose CPU and memory then are not measured. */
export interface ServerPids {
  readonly openbao: number | undefined
  readonly postgres: number | undefined
  readonly valkey: number | undefined
}

/** What the bench puts on servers of the user's goes again. The embedded ones go as a whole. */
function leaveAsFound(vault: TestVault, { name, tenant }: TestActor, servers: ServerPids): void {
  if (servers.valkey === undefined) vault.onClose(() => vault.queueUsers.removeActor(name, () => undefined))
  if (servers.openbao === undefined) vault.onClose(() => removeActor(vault.bao, name, () => undefined))
  if (servers.postgres !== undefined) return
  for (const table of ['records', 'audit'])
    vault.onClose(() => vault.postgres.query(`delete from vault.${table} where tenant = $1`, [tenant]))
}

const workerProgram = new URL('processes/worker.ts', import.meta.url)

/** What a suite works with: one vault for the whole run, and processes that end with the suite. */
export class Bench {
  readonly vault: TestVault
  /** A producer that may do everything. Suites share it. */
  readonly actor: TestActor
  readonly producer: RawProducer
  readonly servers: ServerPids
  /** Small sizes and few rounds, to see that everything works; figures of such a run are not to be quoted. */
  readonly quick: boolean
  readonly #children = new Set<Child<Handlers>>()
  readonly #tokens: string[] = []

  static async open(quick: boolean): Promise<Bench> {
    say('starting the servers')
    const vault = await TestVault.openAlone()
    try {
      const { services } = await stackStatus(vault.stack.directory)
      const pid = (name: keyof ServerPids) => services.find(({ service }) => service === name)?.pid
      const servers = { openbao: pid('openbao'), postgres: pid('postgres'), valkey: pid('valkey') }
      const actor = await vault.actor('bench')
      leaveAsFound(vault, actor, servers)
      return new Bench(vault, actor, servers, quick)
    } catch (error) {
      await vault.close()
      throw error
    }
  }

  private constructor(vault: TestVault, actor: TestActor, servers: ServerPids, quick: boolean) {
    this.vault = vault
    this.actor = actor
    this.producer = new RawProducer(vault, actor)
    this.servers = servers
    this.quick = quick
  }

  /** Tells what is going on, a line for each step. */
  step(text: string): void {
    say(text)
  }

  /** A program of the bench in a process of its own, which ends with the suite at the latest. */
  async child<H extends Handlers>(program: URL, env: Record<string, string>): Promise<Child<H>> {
    const child = await Child.start<H>(program, env)
    this.#children.add(child as unknown as Child<Handlers>)
    return child
  }

  /** A replica of a pool, as a process of its own. */
  worker(queue: QueueName, overrides: Record<string, string> = {}): Promise<Child<WorkerHandlers>> {
    const env = { ...this.vault.environment(queue), LOG_LEVEL: 'warn', BENCH_QUEUE: queue, ...overrides }
    return this.child<WorkerHandlers>(workerProgram, env)
  }

  /** This many different tokens of the actor's tenant, made once for all suites. */
  async tokens(count: number): Promise<readonly string[]> {
    const lacking = count - this.#tokens.length
    if (lacking > 0) {
      this.step(`storing ${lacking.toLocaleString('en')} records`)
      const worker = await this.worker('tokenize')
      const client = await this.vault.client(this.actor, 'records')
      const items = Array.from({ length: lacking }, (_, i) => valueItem(this.#tokens.length + i))
      this.#tokens.push(...tokensOf(await client.tokenize(items, { purpose: 'bench' })))
      await client.close()
      await worker.stop()
      if (this.#tokens.some((token) => !token.startsWith('tok_'))) throw new Error('records could not be stored')
    }
    return this.#tokens.slice(0, count)
  }

  /** Ends the processes of a suite. */
  async endSuite(): Promise<void> {
    const children = [...this.#children]
    this.#children.clear()
    await Promise.all(children.map((child) => child.stop()))
  }

  async close(): Promise<void> {
    await this.endSuite()
    await this.vault.close()
  }
}
