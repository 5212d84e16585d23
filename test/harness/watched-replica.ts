import type { QueueName } from '../../shared/contract/grammar.ts'
import { createLogger } from '../../shared/log/log.ts'
import { Replica } from '../../workers/replica.ts'
import { until } from './until.ts'
import type { TestVault } from './vault.ts'

export interface LogLine {
  readonly msg: string
  readonly level: number
  readonly [member: string]: unknown
}

/** A replica in this process, with all that it logged. */
export class WatchedReplica {
  readonly replica: Replica
  readonly lines: LogLine[]
  /** What ended it, where something did. */
  readonly fatal: unknown[]

  private constructor(replica: Replica, lines: LogLine[], fatal: unknown[]) {
    this.replica = replica
    this.lines = lines
    this.fatal = fatal
  }

  static async start(
    vault: TestVault,
    queue: QueueName,
    overrides: Record<string, string> = {},
  ): Promise<WatchedReplica> {
    const lines: LogLine[] = []
    const fatal: unknown[] = []
    const log = createLogger('debug', 'test', {
      write: (line) => void lines.push(JSON.parse(line) as LogLine),
    })
    const config = vault.config(queue, overrides)
    const replica = await Replica.start({ queue, config, log, onFatal: (error) => void fatal.push(error) })
    vault.onClose(() => replica.close(5_000))
    return new WatchedReplica(replica, lines, fatal)
  }

  /** Resolves when it has said this, about this dependency, once more than `already`. */
  async said(message: string, dependency?: string, already = 0, withinMs = 30_000): Promise<void> {
    await until(`${message} (${dependency})`, () => this.times(message, dependency) > already, withinMs)
  }

  times(message: string, dependency?: string): number {
    return this.lines.filter(
      (line) => line.msg.includes(message) && (dependency === undefined || line['dependency'] === dependency),
    ).length
  }

  /** What it logged that no server's failing explains: errors, and jobs that it could not deal with. */
  get troubles(): LogLine[] {
    return this.lines.filter(({ msg, level }) => level >= errorLevel || /unexpected|given up/.test(msg))
  }
}

const errorLevel = 50
