import { pino } from 'pino'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import { Dependency } from '../../../../shared/lifecycle/dependency.ts'

export const unreachable = (): Unavailable => new Unavailable('test', 'unreachable')

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
  const guard: Dependency = new Dependency({
    name: 'test',
    log: pino({ level: 'silent' }),
    onChange: () => changes.push(guard.isUp),
    probe: async () => {
      server.probes.push(Date.now())
      server.probingAtOnce = Math.max(server.probingAtOnce, ++server.probing)
      await server.held
      server.probing--
      if (server.failure !== undefined) throw server.failure
    },
  })
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
