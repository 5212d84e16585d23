import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { QueueName } from '../shared/contract/grammar.ts'
import type { RequestErrorCode } from '../shared/errors/catalogue.ts'
import type { AuditedItem, Entry } from './batch.ts'

const stageSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** What is read when somebody asks, instead of counted as it happens. */
export interface Levels {
  readonly dependencies: readonly { readonly name: string; readonly isUp: boolean }[]
  readonly itemsInHand: number
  readonly jobsInHand: number
  readonly batches: number
  readonly batchItems: number
  readonly transitCalls: number
}

/**
 * What a replica did, for Prometheus. docs/operations.md says what to watch. Every label is a fixed word of ours: no actor,
 * token or text of a caller, of which there would be as many as a caller likes.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #registers = [this.#registry]
  readonly #items = new Counter({
    name: 'pii_vault_items_total',
    help: 'Items that were decided and audited, by outcome: ok, or a code of the catalogue.',
    labelNames: ['outcome'],
    registers: this.#registers,
  })
  readonly #refused = new Counter({
    name: 'pii_vault_requests_refused_total',
    help: 'Requests refused as a whole, by code; answered says whether with a sealed reply, or a hint at most.',
    labelNames: ['code', 'answered'],
    registers: this.#registers,
  })
  readonly #policyRejections = new Counter({
    name: 'pii_vault_policy_bundles_rejected_total',
    help: 'Changed policy bundles that were not taken: broken, unsigned, older. The one before stays in force.',
    registers: this.#registers,
  })
  readonly #repliesExpired = new Counter({
    name: 'pii_vault_replies_expired_total',
    help: 'Replies and hints that nobody read within REPLY_TTL_S, of any pool, and that this replica removed.',
    registers: this.#registers,
  })
  readonly #deadLettersExpired = new Counter({
    name: 'pii_vault_dead_letters_expired_total',
    help: 'Dead letters of this pool that were older than DEAD_LETTER_TTL_S, and that this replica removed.',
    registers: this.#registers,
  })
  readonly #stages = new Histogram({
    name: 'pii_vault_stage_seconds',
    help: 'How long a stage of the pipeline took for a batch or a request; job is a whole request, from pick-up to its reply.',
    labelNames: ['stage'],
    buckets: stageSeconds,
    registers: this.#registers,
  })

  constructor(queue: QueueName) {
    this.#registry.setDefaultLabels({ queue })
  }

  items(entries: readonly Entry<AuditedItem, string>[]): void {
    const outcomes = new Map<string, number>()
    for (const entry of entries) {
      const outcome = 'failed' in entry ? entry.failed : 'ok'
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    for (const [outcome, count] of outcomes) this.#items.inc({ outcome }, count)
  }

  refused(code: RequestErrorCode, answered: boolean): void {
    this.#refused.inc({ code, answered: String(answered) })
  }

  policyRejected(): void {
    this.#policyRejections.inc()
  }

  repliesExpired(count: number): void {
    this.#repliesExpired.inc(count)
  }

  deadLettersExpired(count: number): void {
    this.#deadLettersExpired.inc(count)
  }

  stage(stage: string, milliseconds: number): void {
    this.#stages.observe({ stage }, milliseconds / 1_000)
  }

  /** To be called once. */
  show(levels: () => Levels): void {
    const level = (name: string, help: string, read: (at: Levels) => number) =>
      new Gauge({
        name,
        help,
        registers: this.#registers,
        collect() {
          this.set(read(levels()))
        },
      })
    level('pii_vault_items_in_hand', 'Items taken from the queue and not answered yet.', (at) => at.itemsInHand)
    level('pii_vault_jobs_in_hand', 'Requests taken from the queue and not answered yet.', (at) => at.jobsInHand)
    const total = (name: string, help: string, read: (at: Levels) => number) =>
      new Counter({
        name,
        help,
        registers: this.#registers,
        collect() {
          this.reset()
          this.inc(read(levels()))
        },
      })
    total('pii_vault_batches_total', 'Micro-batches that were started.', (at) => at.batches)
    total('pii_vault_batch_items_total', 'Items in them: by batches, their mean fill.', (at) => at.batchItems)
    total('pii_vault_transit_calls_total', 'Calls of OpenBao Transit.', (at) => at.transitCalls)
    new Gauge({
      name: 'pii_vault_dependency_up',
      help: '1 while a server can be used; 0 while the intake is closed because of it.',
      labelNames: ['dependency'],
      registers: this.#registers,
      collect() {
        for (const { name, isUp } of levels().dependencies) this.set({ dependency: name }, isUp ? 1 : 0)
      },
    })
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }
}
