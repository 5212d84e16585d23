import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts the CPU time of processes in hundredths of a second, whatever the kernel's own tick. */
const ticksPerSecond = 100

interface ProcessTimes {
  readonly parent: number
  /** With that of children which have ended. */
  readonly cpuSeconds: number
}

/**
 * CPU seconds that a process and its children used so far, those that have ended included (Postgres has a child for each
 * connection). Undefined where the process is not to be seen: no pid, gone, or not on Linux.
 */
export function cpuSecondsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined
  const all = processes()
  if (!all.has(pid)) return undefined
  const children = Map.groupBy(all.keys(), (id) => all.get(id)?.parent)
  const sum = (id: number): number =>
    (children.get(id) ?? []).reduce((seconds, child) => seconds + sum(child), all.get(id)?.cpuSeconds ?? 0)
  return sum(pid)
}

/** The most memory (resident set) that a process held so far, in MiB; of that process alone. */
export function peakMemoryOf(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : memoryLine(pid, 'VmHWM')
}

/** The memory that a process holds now, in MiB. */
export function memoryOf(pid: number | undefined): number | undefined {
  return pid === undefined ? undefined : memoryLine(pid, 'VmRSS')
}

function memoryLine(pid: number, name: string): number | undefined {
  const kibibytes = read(`/proc/${pid}/status`)?.match(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm'))?.[1]
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1_024
}

function processes(): Map<number, ProcessTimes> {
  const ids = directories('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(
    ids.flatMap((id) => {
      const times = timesOf(read(`/proc/${id}/stat`))
      return times === undefined ? [] : [[Number(id), times] as const]
    }),
  )
}

/** From the line of `/proc/PID/stat`. The second field is the program's name in brackets and may hold anything. */
export function timesOf(stat: string | undefined): ProcessTimes | undefined {
  if (stat === undefined) return undefined
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number)
  // state, parent, …; user and system time, then both of ended children
  const [parent, ...ticks] = [1, 11, 12, 13, 14].map((field) => fields[field] ?? Number.NaN) as [number, ...number[]]
  const cpuSeconds = ticks.reduce((sum, time) => sum + time, 0) / ticksPerSecond
  return Number.isNaN(cpuSeconds) ? undefined : { parent, cpuSeconds }
}

function directories(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Undefined for a process that ended meanwhile. */
function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
