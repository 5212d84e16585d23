import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const reaper = fileURLToPath(new URL('reaper.ts', import.meta.url))

/**
 * From now on a directory goes, with the servers of the embedded stacks in it, when this process does, however it ends: a
 * server outlives whoever started it. Call the answer to be rid of them earlier.
 */
export async function reapWithThisProcess(directory: string): Promise<() => Promise<void>> {
  // In a session of its own: what ends a whole process group, as Ctrl-C and `timeout` do, does not end the reaper.
  const child = spawn(process.execPath, [reaper, directory], { detached: true, stdio: ['pipe', 'ignore', 'inherit'] })
  await once(child, 'spawn')
  const ended = once(child, 'exit')
  return async () => {
    child.stdin.end()
    const [code, signal] = await ended
    if (code !== 0) throw new Error(`the reaper of ${directory} ended with ${code ?? signal}`)
  }
}
