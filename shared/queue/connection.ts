import { Redis } from 'ioredis'
import type { Logger } from '../log/log.ts'
import { gatherWrites } from './gathered-writes.ts'

/**
 * A connection that BullMQ may share among queues. It reconnects for ever, with pauses of up to two seconds.
 * `patient` commands wait for the server to come back; impatient ones fail at once, so that the caller can decide.
 */
export function connectQueue(url: string, log: Logger, patience: 'patient' | 'impatient'): Redis {
  const connection = new Redis(url, {
    maxRetriesPerRequest: patience === 'patient' ? null : 0,
    enableOfflineQueue: patience === 'patient',
    connectTimeout: 5_000,
    retryStrategy: (tries) => Math.min(2_000, 50 * 2 ** Math.min(tries, 6)),
  })
  connection.on('connect', () => gatherWrites(connection.stream))
  // ioredis repeats each failed try; the dependency's own state says it once.
  connection.on('error', (error: unknown) => log.debug({ err: error }, 'queue connection'))
  return connection
}

/** Resolves when the first attempt to connect has ended: with the error of one that ended badly, if it has one. */
export async function connected(connection: Redis): Promise<unknown> {
  if (connection.status === 'ready') return undefined
  return new Promise((resolve) => {
    for (const event of ['ready', 'error', 'close']) connection.once(event, resolve)
  })
}
