/** Ends a load after so many calls, or so many seconds. */
export type Extent = { readonly calls: number } | { readonly seconds: number }

export interface Offered {
  /** Of calls that came back well, in the order they did. */
  readonly latenciesMs: readonly number[]
  readonly errors: number
  readonly seconds: number
}

/**
 * Callers that each make their next call when the last one came back. The load follows the server: it shows how much a server
 * carries, and not how long a caller waits who comes at a time of its own (that is the open loop).
 */
export async function closedLoop(
  callers: number,
  extent: Extent,
  call: (index: number) => Promise<unknown>,
): Promise<Offered> {
  const latenciesMs: number[] = []
  let errors = 0
  let next = 0
  const started = performance.now()
  const until = 'seconds' in extent ? started + extent.seconds * 1_000 : Number.POSITIVE_INFINITY
  const most = 'calls' in extent ? extent.calls : Number.POSITIVE_INFINITY

  async function caller(): Promise<void> {
    while (next < most && performance.now() < until) {
      const asked = performance.now()
      try {
        await call(next++)
        latenciesMs.push(performance.now() - asked)
      } catch {
        errors++
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return { latenciesMs, errors, seconds: (performance.now() - started) / 1_000 }
}
