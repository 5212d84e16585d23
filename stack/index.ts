import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { claimDirectory, emptyDirectory, isStackDirectory } from './directory.ts'
import { withLock } from './lock.ts'
import { signalRun, stopRun } from './running.ts'
import type { Progress, Service } from './service.ts'
import { allServices, services } from './services/index.ts'
import { removeVolume } from './sources/docker.ts'
import { ensureRunning } from './start.ts'
import type { ServiceName } from './state.ts'
import { placeOf, readRecord, writeRecord } from './state.ts'
import type { Stack } from './status.ts'
import { stackOf } from './status.ts'

export { defaultDirectory } from './directory.ts'
export type { ServiceName } from './state.ts'
export type { ServiceStatus, Stack, StackAddresses } from './status.ts'
export { stackStatus } from './status.ts'

/** Starts what is not running yet, and returns when all three accept work. */
export async function startStack(options: { directory: string; onProgress?: Progress }): Promise<Stack> {
  return startServices(options.directory, allServices, options.onProgress, (directory) => {
    const stack = stackOf(directory)
    if (!stack) throw new Error(`the stack in ${directory} lost its state while it started`)
    return stack
  })
}

/** For tests: starts one service again that was taken away, at the same address if its port is still free. */
export async function startService(directory: string, name: ServiceName): Promise<void> {
  await startServices(directory, [services[name]], undefined, () => undefined)
}

async function startServices<T>(
  path: string,
  wanted: Service[],
  progress: Progress = () => {},
  result: (directory: string) => T,
): Promise<T> {
  const directory = resolve(path)
  claimDirectory(directory)
  return withLock(directory, async () => {
    // Again, since a wipe may have come between.
    claimDirectory(directory)
    const starts = await Promise.allSettled(
      wanted.map((service) => ensureRunning(service, placeOf(directory, service.name), progress)),
    )
    const problems = starts.flatMap((start) => (start.status === 'rejected' ? [start.reason as Error] : []))
    if (problems.length === 0) return result(directory)
    // All or nothing: what was started in vain does not stay behind.
    await Promise.all(
      wanted.map(async (service, index) => {
        const start = starts[index]
        if (start?.status === 'fulfilled' && start.value.started) await stopOne(directory, service)
      }),
    )
    throw joined(problems)
  })
}

function joined(problems: readonly Error[]): Error {
  const users = problems.filter((problem) => problem instanceof UserError)
  const defect = problems.find((problem) => !(problem instanceof UserError))
  if (defect !== undefined) return defect
  const usage = users.every(({ exitCode }) => exitCode === exitCodes.usage)
  const text = users.map(({ message }) => message).join('\n\n')
  return new UserError(text, usage ? exitCodes.usage : exitCodes.failed)
}

/** Ends the servers that were started here, gracefully, and waits until they are gone. Data and addresses stay. */
export async function stopStack(path: string): Promise<void> {
  await inStackDirectory(path, async (directory) => {
    await Promise.all(allServices.map((service) => stopOne(directory, service)))
  })
}

/** For tests: ends one server, by its graceful signal or another one. */
export async function stopService(path: string, name: ServiceName, signal?: NodeJS.Signals): Promise<void> {
  await inStackDirectory(path, (directory) => stopOne(directory, services[name], signal))
}

/** For tests: sends one server a signal and does not wait. SIGSTOP and SIGCONT make it hang for a while. */
export async function signalService(path: string, name: ServiceName, signal: NodeJS.Signals): Promise<void> {
  const run = readRecord(placeOf(resolve(path), name))?.run
  if (run) await signalRun(run, signal)
}

/** Stops the stack and removes its directory. Downloaded packages stay, since other stacks share them. */
export async function wipeStack(path: string): Promise<void> {
  await inStackDirectory(path, async (directory) => {
    await Promise.all(allServices.map((service) => stopOne(directory, service)))
    for (const service of allServices) {
      const record = readRecord(placeOf(directory, service.name))
      if (record?.madeBy?.source === 'docker') await removeVolume(service, record)
    }
    emptyDirectory(directory)
  })
}

async function inStackDirectory(path: string, task: (directory: string) => Promise<void>): Promise<void> {
  const directory = resolve(path)
  if (!existsSync(directory)) return
  if (!isStackDirectory(directory)) throw new UserError(`${directory} is not the directory of a stack.`)
  await withLock(directory, async () => {
    if (isStackDirectory(directory)) await task(directory)
  })
}

async function stopOne(directory: string, service: Service, signal = service.stopSignal): Promise<void> {
  const place = placeOf(directory, service.name)
  const record = readRecord(place)
  if (!record?.run) return
  await stopRun(record.run, signal)
  delete record.run
  writeRecord(place, record)
}
