import { waitUntil } from './poll.ts'
import type { Service } from './service.ts'
import type { ServiceRecord } from './state.ts'

const deadlineMs = 60_000

export type Readiness = 'ready' | 'ended' | 'silent'

/** Waits until a server of ours accepts work, has ended, or let the deadline pass. */
export async function readinessOf(
  service: Service,
  record: ServiceRecord,
  isRunning: () => Promise<boolean>,
  save: () => void,
): Promise<Readiness> {
  let over = false
  const answers = waitUntil(async () => over || (await service.ready(record, save)), deadlineMs)
  // Watched beside the question, which may hang: a stranger that took the port accepts connections and says nothing.
  const ends = waitUntil(async () => over || !(await isRunning()), deadlineMs)
  try {
    const first = await Promise.race([answers.then((yes) => yes && 'ready'), ends.then((yes) => yes && 'ended')])
    if (!first) return 'silent'
    // Asked again: what answers on the port of a server that has ended is somebody else.
    return (await isRunning()) ? 'ready' : 'ended'
  } finally {
    over = true
  }
}

/** What a start must not give up for: the port went to somebody else, or a killed server's children are still leaving. */
export function isPassing(log: string): boolean {
  return /address already in use|port is already allocated|pre-existing shared memory block/i.test(log)
}

export function failure(title: string, readiness: Readiness, log: string): Error {
  const what = readiness === 'silent' ? `does not answer within ${deadlineMs / 1000} s` : 'ended while it started'
  return new Error(`${title} ${what}. Its last words:\n${log || '(none)'}`)
}
