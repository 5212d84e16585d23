import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from '../../producers/index.ts'
import { RequestFailed } from '../../producers/index.ts'
import { tokensOf, valuesOf } from './outcomes.ts'
import { until } from './until.ts'
import type { TestVault } from './vault.ts'

const purpose = 'test'
const parallel = 6
const itemsPerRequest = 25
const itemsReadBackAtOnce = 500

type Options = { readonly purpose: string; readonly timeoutMs: number }

/**
 * Requests of both directions, each outcome compared with what it must be. Half of the loops tokenize, the other half read
 * what was there before, so that neither queue runs dry when the other one's workers are held up; what was tokenized is
 * read back at the end. Asks until it is ended, or something comes back wrong.
 */
export class Load {
  /** Requests that came back right. */
  answered = 0
  readonly wrong: string[] = []
  /** Requests that were not taken, and of which this was said. They are asked again. */
  notTaken = 0
  /** Items of these, by their direction. */
  readonly items = { detok: 0, tokenize: 0 }
  /** All that were given out. */
  readonly tokens: string[] = []
  readonly #client: Client
  readonly #options: Options
  readonly #loops: Promise<void>[]
  readonly #made: { readonly tokens: string[]; readonly values: string[] }[] = []
  #ending = false

  private constructor(client: Client, options: Options, tokens: readonly string[], values: readonly string[]) {
    this.#client = client
    this.#options = options
    this.#loops = Array.from({ length: parallel }, (_, i) =>
      this.#loop((round) => (i % 2 === 0 ? this.#tokenize(`${i}/${round}`) : this.#detok(tokens, values))),
    )
  }

  /** `timeoutMs`: how long a request may take. */
  static async start(vault: TestVault, client: Client, { timeoutMs = 60_000 } = {}): Promise<Load> {
    const options = { purpose, timeoutMs }
    const values = valuesFor('kept')
    const tokens = await tokenize(client, values, options)
    const load = new Load(client, options, tokens, values)
    load.items.tokenize += tokens.length
    load.tokens.push(...tokens)
    vault.onClose(() => load.end())
    return load
  }

  /** Resolves when this many more requests have been answered. */
  async more(requests: number, withinMs = 45_000): Promise<void> {
    const goal = this.answered + requests
    await until(`${requests} more answers`, () => this.answered >= goal || this.wrong.length > 0, withinMs)
    if (this.wrong.length > 0) throw new Error(`came back wrong: ${this.wrong.slice(0, 3).join(', ')}`)
  }

  /** Asks nothing more, and waits for what was asked. Everything that did not come back as it should. */
  async end(): Promise<string[]> {
    this.#ending = true
    await Promise.all(this.#loops)
    const made = this.#made.splice(0)
    const tokens = made.flatMap((each) => each.tokens)
    const values = made.flatMap((each) => each.values)
    for (let from = 0; from < tokens.length; from += itemsReadBackAtOnce) {
      const to = from + itemsReadBackAtOnce
      await this.#detok(tokens.slice(from, to), values.slice(from, to))
    }
    return this.wrong
  }

  async #loop(ask: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !this.#ending && this.wrong.length === 0; round++) {
      try {
        await ask(round)
      } catch (error) {
        if (!(error instanceof RequestFailed && error.code === 'unavailable')) this.wrong.push(String(error))
        this.notTaken++
        await delay(100)
      }
    }
  }

  async #tokenize(name: string): Promise<void> {
    const values = valuesFor(name)
    const tokens = await tokenize(this.#client, values, this.#options)
    this.#made.push({ tokens, values })
    this.tokens.push(...tokens)
    this.items.tokenize += tokens.length
    this.answered++
  }

  async #detok(tokens: readonly string[], values: readonly string[]): Promise<void> {
    const outcomes = await this.#client.detok(tokens, this.#options)
    this.wrong.push(
      ...valuesOf(outcomes).flatMap((value, i) => (value === values[i] ? [] : [`${tokens[i]}: ${value}`])),
    )
    this.items.detok += outcomes.length
    this.answered++
  }
}

const valuesFor = (name: string): string[] => Array.from({ length: itemsPerRequest }, (_, i) => `${name}/${i}`)

async function tokenize(client: Client, values: readonly string[], options: Options): Promise<string[]> {
  const items = values.map((value) => ({ field: 'note', value }))
  return tokensOf(await client.tokenize(items, options))
}
