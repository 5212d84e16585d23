import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { errorCode } from '../shared/errors/error-code.ts'
import { waitUntil } from './poll.ts'

/** A process by pid and start: the pid alone may have been given to somebody else since. */
export interface ProcessIdentity {
  readonly pid: number
  readonly start: string
}

export interface Command {
  readonly file: string
  readonly args: string[]
  /** Relative paths in the command and in configuration files start here, so a stack's directory can be moved. */
  readonly cwd: string
  readonly logFile: string
}

// Waits for a line, then becomes the program: same pid, same start. If the writer dies first, `read` fails and nothing runs.
const waitForGo = 'read -r _ || exit 1; exec "$0" "$@" </dev/null'

/**
 * Starts a server that outlives this process: its own session, output to a file, no variables that could configure it.
 * It runs only after `remember` has returned, so there is never a server that no state file knows of.
 */
export async function spawnDetached(
  command: Command,
  remember: (identity: ProcessIdentity) => void,
): Promise<ProcessIdentity> {
  const log = openSync(command.logFile, 'a', 0o600)
  try {
    const child = spawn('/bin/sh', ['-c', waitForGo, command.file, ...command.args], {
      cwd: command.cwd,
      detached: true,
      stdio: ['pipe', log, log],
      env: neutralEnvironment(),
    })
    await once(child, 'spawn')
    child.unref()
    const pid = child.pid as number
    const start = await startOf(pid)
    if (!start) throw new Error(`process ${pid} ended before it could run ${command.file}`)
    const identity = { pid, start }
    remember(identity)
    child.stdin?.on('error', () => {})
    child.stdin?.end('go\n')
    return identity
  } finally {
    closeSync(log)
  }
}

/** PGPORT, BAO_ADDR, VAULT_TOKEN and the like of the caller must not reach the servers. */
export function neutralEnvironment(): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'TMPDIR', 'LD_LIBRARY_PATH', 'DYLD_LIBRARY_PATH']
  return Object.fromEntries(kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

export async function isAlive(identity: ProcessIdentity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.start
}

/** Sends the signal if the process is still the one meant. */
export async function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): Promise<void> {
  if (!(await isAlive(identity))) return
  try {
    process.kill(identity.pid, signal)
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error
  }
}

/** Asks the process to end, waits until it has, and kills it if it does not. */
export async function stopProcess(identity: ProcessIdentity, signal: NodeJS.Signals, graceMs = 30_000): Promise<void> {
  const ended = async () => !(await isAlive(identity))
  await signalProcess(identity, signal)
  // One that was paused by SIGSTOP would never see the signal.
  await signalProcess(identity, 'SIGCONT')
  if (await waitUntil(ended, graceMs)) return
  await signalProcess(identity, 'SIGKILL')
  if (!(await waitUntil(ended, 10_000))) throw new Error(`process ${identity.pid} does not end`)
}

/** When the process started, exact enough to tell it from a later one of the same pid. Undefined if there is none. */
export async function startOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid)
}

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in brackets and may hold anything, brackets too.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Ended, but not yet fetched by its parent: as good as gone.
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined
    // Field 22 counts from boot, so it needs the boot's id beside it.
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${fields[19]}`
  } catch {
    return undefined
  }
}

async function startByPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'stat=,lstart=', '-p', String(pid)])
    const [state, ...start] = stdout.trim().split(/\s+/)
    return state?.startsWith('Z') ? undefined : start.join(' ')
  } catch {
    return undefined
  }
}
