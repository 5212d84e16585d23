import { setTimeout as delay } from 'node:timers/promises'

const stepMs = 15_000

/** What is to be done when a test is over. */
export class CleanUp {
  readonly #steps: (() => Promise<unknown>)[] = []

  add(step: () => Promise<unknown>): void {
    this.#steps.push(step)
  }

  /**
   * Takes the steps in the reverse order of their being given. Every step is taken, whichever fails or hangs, as they may
   * after a test that left a server down; then that is told.
   */
  async run(): Promise<void> {
    const failures: unknown[] = []
    for (const step of this.#steps.splice(0).reverse()) {
      await inTime(step()).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw new AggregateError(failures, `cleaning up failed: ${failures.join('; ')}`)
  }
}

async function inTime(step: Promise<unknown>): Promise<void> {
  const enough = new AbortController()
  const late = delay(stepMs, undefined, { signal: enough.signal }).then(() => {
    throw new Error(`a step took more than ${stepMs} ms`)
  })
  await Promise.race([step, late]).finally(() => {
    late.catch(() => undefined)
    enough.abort()
  })
}
