import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { describe } from 'vitest'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'

export const source = new URL('../../../policy', import.meta.url).pathname
export const committed = `${source}/bundle`
export const faulty = new URL('faulty.rego', import.meta.url).pathname
export const silent = { info() {}, warn() {}, error() {} }

const run = promisify(execFile)
const onPath = spawnSync('opa', ['version']).status === 0

/** What needs a real OPA; CI has one. */
export function describeWithOpa(name: string, tests: () => void): void {
  if (onPath) describe(name, tests)
  else describe.skip(`${name} (skipped: no opa on PATH)`, tests)
}

/** Runs `opa`; `cwd` decides which names the files get in a bundle. */
export async function opa(cwd: string, ...args: string[]): Promise<void> {
  await run('opa', args, { cwd })
}

export const entrypoints = ['-e', 'vault/decisions', '-e', 'vault/tenant']

export interface OpaServer {
  url: string
  stop(): Promise<void>
}

export async function startOpa(...args: string[]): Promise<OpaServer> {
  return await startOpaOn(await freePort(), ...args)
}

export async function startOpaOn(port: number, ...args: string[]): Promise<OpaServer> {
  const child = spawn('opa', ['run', '--server', '--addr', `127.0.0.1:${port}`, '--log-level', 'error', ...args], {
    stdio: 'ignore',
  })
  const exited = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  const ready = () =>
    until('opa answers', async () => {
      if (child.exitCode !== null) throw new Error('opa did not start')
      return (await fetch(`${url}/health`).catch(() => undefined))?.ok
    })
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  await ready().catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { url, stop }
}
