import type { QueueName } from '../../shared/contract/grammar.ts'
import type { Child } from './child.ts'
import { startCli } from './child.ts'
import { Idler } from './stalling.ts'
import type { TestVault } from './vault.ts'

/** A replica as a process of its own: `pii-vault worker …`. */
export async function startWorker(
  vault: TestVault,
  queue: QueueName,
  overrides: Record<string, string> = {},
  lifetimeMs?: number,
): Promise<Child> {
  const child = spawnWorker(vault, queue, overrides, lifetimeMs)
  await child.said('replica started')
  return child
}

/** The same, without waiting for it to have started: perhaps it will not. */
export function spawnWorker(
  vault: TestVault,
  queue: QueueName,
  overrides: Record<string, string> = {},
  lifetimeMs?: number,
): Child {
  const child = startCli(['worker', queue], {
    env: { ...vault.environment(queue), LOG_LEVEL: 'info', ...overrides },
    ...(lifetimeMs === undefined ? {} : { lifetimeMs }),
  })
  vault.onClose(() => child.stop('SIGKILL'))
  return child
}

/** The locks of what this process left behind end now. How many jobs there were. */
export async function expireLocks(vault: TestVault, queue: QueueName, pid: number): Promise<number> {
  const jobs = await vault.queue(queue).getActive()
  const left = jobs.filter((job) => job?.processedBy?.includes(`-${pid}-`)).map(({ id }) => id ?? '')
  await new Idler(vault, queue).expire(left)
  return left.length
}
