import { cpuSecondsOf } from './process-usage.ts'

/** Processes by what they are; undefined where a server is not of this machine, or not ours to see. */
export type Processes = Readonly<Record<string, number | undefined>>

/** CPU microseconds by process; undefined where it could not be seen. */
export type CpuTimes = Readonly<Record<string, number | undefined>>

/** What processes use of the CPU from now until `taken` is called. */
export function watchCpu(processes: Processes): { taken(): CpuTimes } {
  const before = secondsOf(processes)
  return {
    taken: () =>
      Object.fromEntries(
        Object.entries(secondsOf(processes)).map(([name, seconds]) => [
          name,
          microsecondsBetween(before[name], seconds),
        ]),
      ),
  }
}

export function perItem(times: CpuTimes, items: number): CpuTimes {
  return Object.fromEntries(
    Object.entries(times).map(([name, microseconds]) => [name, microseconds && microseconds / items]),
  )
}

/** Undefined unless every one of them was measured. */
export function sumOf(times: CpuTimes): number | undefined {
  return Object.values(times).reduce<number | undefined>(
    (sum, time) => (sum === undefined || time === undefined ? undefined : sum + time),
    0,
  )
}

/** Of two measurements of the same processes. */
export function meanTimes(one: CpuTimes, other: CpuTimes): CpuTimes {
  return Object.fromEntries(
    Object.entries(one).map(([name, a]) => {
      const b = other[name]
      return [name, a === undefined || b === undefined ? undefined : (a + b) / 2]
    }),
  )
}

const secondsOf = (processes: Processes): Record<string, number | undefined> =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuSecondsOf(pid)]))

function microsecondsBetween(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : (after - before) * 1e6
}
