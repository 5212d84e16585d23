import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePorts } from '../ports.ts'
import { findProgram, runProgram } from '../programs.ts'
import { failure, isPassing, readinessOf } from '../readiness.ts'
import type { Progress, Service } from '../service.ts'
import type { Place, ServiceRecord } from '../state.ts'

const tries = 5
const graceMs = 30_000

/** Starts a container with its data in a volume of the same name, and waits until it is ready. */
export async function startContainer(
  service: Service,
  place: Place,
  record: ServiceRecord,
  progress: Progress,
  save: () => void,
): Promise<void> {
  await assertEngine()
  const plan = service.container(record)
  await pull(plan.image, service, progress)
  const name = containerName(service, record)
  for (let attempt = 1; ; attempt++) {
    await removeContainer(name)
    if (!record.madeBy) await docker(['volume', 'rm', '--force', name])
    record.ports = await freePorts(service.portCount, record.ports)
    record.run = { source: 'docker', container: name }
    save()
    const refusal = await runContainer(service, place, record, name)
    const readiness = refusal
      ? 'ended'
      : await readinessOf(service, record, async () => (await containerPid(name)) !== undefined, save)
    if (readiness === 'ready') return
    const log = refusal ?? (await docker(['logs', '--tail', '15', name]).catch(() => ''))
    await removeContainer(name)
    delete record.run
    save()
    if (!record.madeBy) await docker(['volume', 'rm', '--force', name])
    if (attempt === tries || !isPassing(log)) throw failure(`${service.title} in Docker`, readiness, log)
  }
}

/** The process id of a running container as the engine sees it; undefined if it is not running. */
export async function containerPid(name: string): Promise<number | undefined> {
  const answer = await docker(['inspect', '--format', '{{.State.Running}} {{.State.Pid}}', name]).catch(() => '')
  const [running, pid] = answer.trim().split(' ')
  return running === 'true' ? Number(pid) : undefined
}

export async function stopContainer(name: string, signal: NodeJS.Signals): Promise<void> {
  await signalContainer(name, signal).catch(() => {})
  // One that was paused by SIGSTOP would never see the signal.
  await signalContainer(name, 'SIGCONT').catch(() => {})
  await docker(['wait', name], graceMs).catch(() => '')
  await removeContainer(name)
}

export async function signalContainer(name: string, signal: NodeJS.Signals): Promise<void> {
  await docker(['kill', '--signal', signal, name])
}

/** Removes what outlives a container: its data. */
export async function removeVolume(service: Service, record: ServiceRecord): Promise<void> {
  await docker(['volume', 'rm', '--force', containerName(service, record)])
}

async function assertEngine(): Promise<void> {
  const answer = await docker(['version', '--format', '{{.Server.Version}}'])
  if (!answer.trim()) throw new Error('no Docker engine answers')
}

async function pull(image: string, service: Service, progress: Progress): Promise<void> {
  const present = await docker(['image', 'inspect', '--format', 'present', image]).catch(() => '')
  if (present.trim() === 'present') return
  progress(`Pulling ${image} for ${service.title}`)
  await docker(['pull', '--quiet', image], 180_000)
}

/** The engine's refusal, if it refuses. */
async function runContainer(
  service: Service,
  place: Place,
  record: ServiceRecord,
  name: string,
): Promise<string | undefined> {
  const plan = service.container(record)
  const environmentFile = join(place.folder, 'environment')
  const lines = Object.entries(plan.environment).map(([key, value]) => `${key}=${value}\n`)
  await writeFile(environmentFile, lines.join(''), { mode: 0o600 })
  try {
    await docker([
      ...['run', '--detach', '--name', name, '--label', `pii-vault-stack=${place.root}`],
      ...['--publish', `127.0.0.1:${record.ports[0]}:${plan.port}`, '--volume', `${name}:${plan.mount}`],
      ...[
        '--stop-signal',
        service.stopSignal,
        '--env-file',
        environmentFile,
        ...plan.options,
        plan.image,
        ...plan.args,
      ],
    ])
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    await rm(environmentFile, { force: true })
  }
}

async function removeContainer(name: string): Promise<void> {
  await docker(['rm', '--force', '--volumes', name]).catch(() => '')
}

/** One for each stack's directory, and the same when that is moved. */
function containerName(service: Service, record: ServiceRecord): string {
  const id = createHash('sha256').update(record.password).digest('hex').slice(0, 12)
  return `pii-vault-${service.name}-${id}`
}

async function docker(args: string[], timeoutMs?: number): Promise<string> {
  const file = await findProgram('docker')
  if (!file) throw new Error('no `docker` on PATH')
  // The caller's whole environment: it says which engine (DOCKER_HOST, DOCKER_CONTEXT).
  return (await runProgram(file, args, { env: process.env, ...(timeoutMs && { timeoutMs }) })).stdout
}
