import { memoryOf, peakMemoryOf } from './process-usage.ts'
import type { Processes } from './usage.ts'

const everyMs = 100

interface Sample {
  readonly atMs: number
  readonly mebibytes: Readonly<Record<string, number | undefined>>
}

/** The memory of processes over time: resident sets in MiB, until `stop`. */
export class MemoryWatch {
  readonly #processes: Processes
  readonly #started = performance.now()
  readonly #samples: Sample[] = []
  /** A process that has ended tells no more. */
  readonly #peaks = new Map<string, number>()
  readonly #timer = setInterval(() => this.#look(), everyMs)

  constructor(processes: Processes) {
    this.#processes = processes
    this.#look()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#look()
  }

  /** The most that it held since it was started, as the kernel counts it; undefined where it could not be seen. */
  peakOf(name: string): number | undefined {
    return this.#peaks.get(name)
  }

  /** The greatest in each of so many equal parts of the time. */
  course(name: string, parts: number): (number | undefined)[] {
    const total = Math.max(...this.#samples.map(({ atMs }) => atMs))
    return Array.from({ length: parts }, (_, part) => {
      const inPart = this.#samples.filter(
        ({ atMs }) => Math.min(parts - 1, Math.floor((atMs / total) * parts)) === part,
      )
      const seen = inPart.map(({ mebibytes }) => mebibytes[name]).filter((amount) => amount !== undefined)
      return seen.length === 0 ? undefined : Math.max(...seen)
    })
  }

  #look(): void {
    const entries = Object.entries(this.#processes)
    const mebibytes = Object.fromEntries(entries.map(([name, pid]) => [name, memoryOf(pid)]))
    this.#samples.push({ atMs: performance.now() - this.#started, mebibytes })
    for (const [name, pid] of entries) {
      const peak = peakMemoryOf(pid)
      if (peak !== undefined) this.#peaks.set(name, peak)
    }
  }
}
