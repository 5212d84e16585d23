import type { ChildProcessByStdio } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { QueueName } from '../../shared/contract/grammar.ts'
import type { TestVault } from '../../test/harness/vault.ts'
import { MemoryWatch } from '../measure/memory-watch.ts'
import type { Processes } from '../measure/usage.ts'

const cli = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

export interface CliRun {
  readonly rows: number
  readonly items: number
  /** From the start of the process to its end: what its user waits. */
  readonly seconds: number
  /** As it says itself: without its start and the first reading of the file. */
  readonly itemsPerS: number
  /** Of the process, `cli`, and of those beside it. */
  readonly memory: MemoryWatch
}

/** `pii-vault …`, the real command, to its end. `beside`: processes whose memory is watched with its own. */
export async function runCli(
  vault: TestVault,
  args: readonly string[],
  env: Record<string, string>,
  beside: Processes,
): Promise<CliRun> {
  const started = performance.now()
  const child = spawnCli(vault, args, env)
  const memory = new MemoryWatch({ cli: child.pid, ...beside })
  try {
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    if (code !== 0) throw new Error(`pii-vault ${args[0]} ended with ${code}: ${said.slice(-2_000)}`)
    const seconds = (performance.now() - started) / 1_000
    return { ...reportIn(said), seconds, memory }
  } finally {
    memory.stop()
  }
}

export interface CliWorker {
  readonly pid: number | undefined
  stop(): Promise<void>
}

const startWithinMs = 30_000

/** `pii-vault worker …`: a replica as it is run in production, its memory settings included. */
export async function startCliWorker(vault: TestVault, queue: QueueName): Promise<CliWorker> {
  const child = spawnCli(vault, ['worker', queue], { ...vault.environment(queue), LOG_LEVEL: 'info' })
  const exited = once(child, 'close')
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    said = (said + more).slice(-2_000)
  })
  for (const late = AbortSignal.timeout(startWithinMs); !said.includes('replica started'); ) {
    await Promise.race([once(child.stderr, 'data', { signal: late }), exited])
    if (child.exitCode !== null) throw new Error(`a worker did not start: ${said}`)
  }
  return {
    pid: child.pid,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
    },
  }
}

function spawnCli(
  vault: TestVault,
  args: readonly string[],
  env: Record<string, string>,
): ChildProcessByStdio<null, null, Readable> {
  const { PATH = '', HOME = '', NODE_OPTIONS = '' } = process.env
  const child = spawn(cli, args, {
    env: { PATH, HOME, NODE_OPTIONS, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  vault.onClose(async () => void child.kill('SIGKILL')) // where the bench is cut short
  return child
}

/** `1,000 rows, 1,000 items in 1.2 s (833 items/s)` */
function reportIn(said: string): Pick<CliRun, 'rows' | 'items' | 'itemsPerS'> {
  const found = /([\d,]+) rows, ([\d,]+) items in [\d.]+ s \(([\d,]+) items\/s\)/.exec(said)
  const [rows, items, itemsPerS] = (found ?? []).slice(1).map((count) => Number(count.replaceAll(',', '')))
  if (rows === undefined || items === undefined || itemsPerS === undefined)
    throw new Error(`the command did not say what it did: ${said.slice(-2_000)}`)
  return { rows, items, itemsPerS }
}
