import { Worker } from 'bullmq'
import type { QueueName } from '../../shared/contract/grammar.ts'
import type { TestVault } from './vault.ts'

/** A worker that takes jobs and never does anything with them, and that looks for stalled ones when it is told to. */
export class Idler {
  readonly #worker: Worker
  readonly #vault: TestVault
  readonly #queue: QueueName

  constructor(vault: TestVault, queue: QueueName) {
    const connection = vault.redis.duplicate()
    connection.on('error', () => undefined)
    this.#worker = new Worker(queue, undefined, {
      connection,
      prefix: vault.prefix,
      autorun: false,
      maxStalledCount: 5,
      name: 'idler',
    })
    this.#vault = vault
    this.#queue = queue
    vault.onClose(async () => {
      await this.#worker.close()
      connection.disconnect()
    })
  }

  /** Takes the next job, as a process does that then dies. */
  async take(): Promise<string> {
    await this.#worker.waitUntilReady()
    const job = await this.#worker.getNextJob('idler', { block: false })
    if (job?.id === undefined) throw new Error('there is no job to take')
    return job.id
  }

  /**
   * What a dead process left behind is found by its locks, which last 30 seconds, in a check that each replica makes every
   * 30 seconds. Here the locks of these jobs end at once, and the check is made now; twice, since a job counts as stalled
   * only if it was active in the check before already.
   */
  async expire(jobIds: readonly string[]): Promise<void> {
    await this.#worker.waitUntilReady()
    const key = `${this.#vault.prefix}:${this.#queue}`
    if (jobIds.length > 0) await this.#vault.redis.del(jobIds.map((id) => `${key}:${id}:lock`))
    for (let check = 0; check < 2; check++) {
      await this.#vault.redis.del(`${key}:stalled-check`)
      await (this.#worker as unknown as { moveStalledJobsToWait(): Promise<void> }).moveStalledJobsToWait()
    }
  }
}
