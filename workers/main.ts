import { readWorkerConfig } from '../shared/config/environment.ts'
import type { Environment } from '../shared/config/reader.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { createLogger } from '../shared/log/log.ts'
import { HealthServer } from './health.ts'
import { Replica } from './replica.ts'

/** Kubernetes sends SIGKILL 30 seconds after SIGTERM, unless told otherwise. */
const leaveWithinMs = 25_000

/** Runs one replica until SIGTERM or SIGINT. Resolves when it has left; throws UserError where it cannot start or go on. */
export async function runWorker(queue: QueueName, env: Environment): Promise<void> {
  const config = readWorkerConfig(env)
  const log = createLogger(config.logLevel, `worker-${queue}`)
  const { promise: asked, resolve: leave, reject: abandon } = Promise.withResolvers<void>()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => leave())

  let replica: Replica | undefined
  const health = config.metricsAddress && (await HealthServer.listen(config.metricsAddress, () => replica))
  try {
    replica = await Replica.start({ queue, config, log, onFatal: abandon })
    await asked
  } finally {
    await replica?.close(leaveWithinMs)
    await health?.close()
  }
}
