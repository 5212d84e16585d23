import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import { Dependency } from '../../../../shared/lifecycle/dependency.ts'
import { createLogger } from '../../../../shared/log/log.ts'

export const unreachable = (): Unavailable => new Unavailable('transit', 'unreachable')

/** A server that is up or down as the test says, its guard, and what was seen of both. */
export function guarded() {
  const server = {
    /** What the probe meets; undefined: a healthy server. */
    failure: undefined as Error | undefined,
    /** While set, the probe waits for it. */
    held: undefined as Promise<void> | undefined,
    /** When the probe was asked, in milliseconds. */
    probes: [] as number[],
    probing: 0,
    probingAtOnce: 0,
  }
  const changes: boolean[] = []
  const guard = new Dependency({
    name: 'transit',
    server,
    log: createLogger('silent', 'test'),
    probe: async () => {
      server.probes.push(Date.now())
      server.probingAtOnce = Math.max(server.probingAtOnce, ++server.probing)
      await server.held
      server.probing--
      if (server.failure !== undefined) throw server.failure
    },
  })
  guard.onChange(() => changes.push(guard.isUp))
  return { server, guard, changes }
}

/** Fails so often, with this error, and then answers. */
export function failing(times: number, error: Error = unreachable()) {
  const work = async (): Promise<string> => {
    work.tries++
    if (work.tries <= times) throw error
    return 'answer'
  }
  work.tries = 0
  return work
}
