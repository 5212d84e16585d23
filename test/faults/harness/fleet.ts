import type { Client } from '../../../producers/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import type { Child } from '../../harness/child.ts'
import { Load } from '../../harness/load.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { TestVault } from '../../harness/vault.ts'
import { startWorker } from '../../harness/worker-process.ts'
import type { ServerProxy } from './toxiproxy.ts'
import { Toxiproxy } from './toxiproxy.ts'
import { TransitFront } from './transit-front.ts'

export const queues = ['detok', 'tokenize'] as const

interface Member {
  readonly queue: QueueName
  readonly process: Child
  /** A test ended it, or will. */
  doomed: boolean
}

interface Asking {
  readonly actor: TestActor
  readonly client: Client
}

/** Several replicas of both pools, each a process, whose every way to a server leads through Toxiproxy. */
export class Fleet {
  readonly vault: TestVault
  readonly proxies: { readonly postgres: ServerProxy; readonly transit: ServerProxy; readonly redis: ServerProxy }
  /** Between Toxiproxy and OpenBao. */
  readonly front: TransitFront
  readonly members: Member[] = []
  readonly #actors: TestActor[]
  #asking: Asking | undefined

  private constructor(vault: TestVault, proxies: Fleet['proxies'], front: TransitFront, actors: TestActor[]) {
    this.vault = vault
    this.proxies = proxies
    this.front = front
    this.#actors = actors
  }

  /** `replicas` of each pool; `loads`: how many loads there will be, as each has an actor of its own. */
  static async start({ replicas, loads }: { replicas: number; loads: number }): Promise<Fleet> {
    const vault = await TestVault.openAlone()
    try {
      const toxiproxy = await Toxiproxy.start()
      vault.onClose(() => toxiproxy.close())
      const front = await TransitFront.before(vault.stack.transitAddr)
      vault.onClose(() => front.close())
      const proxies = {
        postgres: await toxiproxy.before('postgres', vault.environment('detok')['DATABASE_URL'] ?? ''),
        transit: await toxiproxy.before('transit', front.url),
        redis: await toxiproxy.before('redis', vault.stack.queueUrl),
      }
      const actors: TestActor[] = []
      for (let i = 0; i < loads; i++) actors.push(await vault.actor(`load${i}`))
      const fleet = new Fleet(vault, proxies, front, actors)
      await Promise.all(queues.flatMap((queue) => Array.from({ length: replicas }, () => fleet.add(queue))))
      return fleet
    } catch (error) {
      await vault.close()
      throw error
    }
  }

  /** One more replica. `doomed`: it will be ended on purpose. */
  async add(
    queue: QueueName,
    { doomed = false, environment = {} }: { doomed?: boolean; environment?: Record<string, string> } = {},
  ): Promise<Child> {
    const { vault, proxies } = this
    const own = vault.environment(queue)
    const settings = {
      DATABASE_URL: proxies.postgres.via(own['DATABASE_URL'] ?? ''),
      TRANSIT_ADDR: proxies.transit.via(vault.stack.transitAddr),
      QUEUE_URL: proxies.redis.via(own['QUEUE_URL'] ?? ''),
      ...environment,
    }
    const process = await startWorker(vault, queue, settings, lifetimeMs)
    this.members.push({ queue, process, doomed })
    return process
  }

  /** Ends a replica as a test wants it. */
  async end(process: Child, signal: NodeJS.Signals): Promise<number | null> {
    const member = this.members.find((each) => each.process === process)
    if (member !== undefined) member.doomed = true
    return process.stop(signal)
  }

  /** A load of an actor that has asked nothing yet. The way of its client does not lead through the proxies. */
  async load(timeoutMs = 120_000): Promise<Load> {
    const actor = this.#actors.shift()
    if (actor === undefined) throw new Error('the fleet was made for fewer loads')
    const client = await this.vault.client(actor)
    this.#asking = { actor, client }
    return Load.start(this.vault, client, { timeoutMs })
  }

  /** Every server is there again, and says what it says. */
  async mend(): Promise<void> {
    this.front.mend()
    for (const proxy of Object.values(this.proxies)) await proxy.mend()
  }

  /** The attempts that jobs which are not done have used up, as BullMQ counts them: an outage must use up none. */
  async attemptsUsed(): Promise<number> {
    const jobs = await Promise.all(
      queues.map((queue) => this.vault.queue(queue).getJobs(['wait', 'prioritized', 'active', 'delayed'])),
    )
    return jobs.flat().reduce((sum, job) => sum + (job?.attemptsMade ?? 0), 0)
  }

  /** Who asks in the load that was begun last. */
  get asking(): Asking {
    if (this.#asking === undefined) throw new Error('there is no load')
    return this.#asking
  }

  /** Resolves when in both pools a replica has closed its intake because of this server. */
  async closed(dependency: string): Promise<void> {
    await until(`intake closed: ${dependency}`, () => queues.every((queue) => this.isClosed(dependency, queue)), 60_000)
  }

  isClosed(dependency: string, pool: QueueName): boolean {
    return this.living.some(({ queue, process }) => queue === pool && isDown(process, dependency))
  }

  /** Resolves when no replica's intake is closed because of this server. */
  async opened(dependency: string): Promise<void> {
    const isOpen = () => this.living.every(({ process }) => !isDown(process, dependency))
    await until(`intake open: ${dependency}`, isOpen, 60_000)
  }

  get living(): Member[] {
    return this.members.filter(({ doomed }) => !doomed)
  }

  close(): Promise<void> {
    return this.vault.close()
  }
}

/** A soak runs as long as it is asked to; a test's replicas end with their vault. */
const lifetimeMs = 24 * 3_600_000

export const linesOf = (process: Child): string[] => process.stderr.split('\n')

/** By the last that it said of it. */
function isDown(process: Child, dependency: string): boolean {
  const about = `"dependency":"${dependency}"`
  const last = linesOf(process).findLast((line) => line.includes(about) && /dependency (up|down):/.test(line))
  return last?.includes('dependency down:') ?? false
}
