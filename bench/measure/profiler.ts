import { Session } from 'node:inspector/promises'
import type { CpuProfile } from './cpu-profile.ts'

export const microsecondsBetweenSamples = 500

/** Takes CPU profiles of the thread that it runs in. */
export class Profiler {
  #session: Session | undefined

  async start(): Promise<void> {
    this.#session = new Session()
    this.#session.connect()
    await this.#session.post('Profiler.enable')
    await this.#session.post('Profiler.setSamplingInterval', { interval: microsecondsBetweenSamples })
    await this.#session.post('Profiler.start')
  }

  async stop(): Promise<CpuProfile> {
    const session = this.#session
    if (session === undefined) throw new Error('no profile was started')
    this.#session = undefined
    const { profile } = await session.post('Profiler.stop')
    session.disconnect()
    // Without each sample and its time, which are the larger part of it.
    return { nodes: profile.nodes }
  }
}

/** Microseconds of CPU so far, of this thread and of all threads of the process. */
export interface ThreadCpu {
  readonly thread: number
  readonly process: number
}

export function threadCpu(): ThreadCpu {
  const total = ({ user, system }: NodeJS.CpuUsage) => user + system
  return { thread: total(process.threadCpuUsage()), process: total(process.cpuUsage()) }
}
