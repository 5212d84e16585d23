import { rm } from 'node:fs/promises'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'
import { readinessOf } from './readiness.ts'
import { isRunning, stopRun } from './running.ts'
import type { Binary, Progress, Service } from './service.ts'
import { startChild } from './sources/child.ts'
import { startContainer } from './sources/docker.ts'
import type { Place, ServiceRecord } from './state.ts'
import { newRecord, readRecord, writeRecord } from './state.ts'

type LocalSource = 'path' | 'docker' | 'packaged'

const descriptions: Record<LocalSource, string> = { path: 'on PATH', docker: 'Docker', packaged: 'packaged' }

/** Makes sure that a service runs. Tells whether it had to be started for that. */
export async function ensureRunning(service: Service, place: Place, progress: Progress): Promise<{ started: boolean }> {
  const record = readRecord(place) ?? newRecord()
  const save = () => writeRecord(place, record)
  const url = process.env[service.urlVariable]
  if (url) {
    await useUrl(service, record, url)
    save()
    return { started: false }
  }
  const { run } = record
  if (run && run.source !== 'url' && (await isRunning(run))) {
    if (record.madeBy) {
      const readiness = await readinessOf(service, record, () => isRunning(run), save)
      if (readiness === 'ready') return { started: false }
      // One that ends just now is simply started again; one that hangs still has the data and the port.
      if (readiness === 'silent') {
        throw new UserError(
          `${service.title} runs, but does not answer. See ${place.logFile}; \`pii-vault stack down\` ends it.`,
        )
      }
    } else {
      // The start before was cut short, maybe between OpenBao's giving its only key and our writing it down.
      await stopRun(run, service.stopSignal)
    }
  }
  delete record.run
  save()
  progress(`Starting ${service.title}`)
  await startFromFirstSource(service, place, record, progress, save)
  return { started: true }
}

/** A URL that is set but does not answer is an error: to serve from somewhere else without a word would split the data. */
async function useUrl(service: Service, record: ServiceRecord, url: string): Promise<void> {
  const { urlVariable, tokenVariable } = service
  const token = tokenVariable && process.env[tokenVariable]
  if (tokenVariable && !token)
    throw new UserError(`${urlVariable} is set; ${tokenVariable} has to be set with it.`, exitCodes.usage)
  if (!URL.canParse(url)) throw new UserError(`${urlVariable} is not a URL.`, exitCodes.usage)
  if (!(await service.answers(url, token))) {
    const what = tokenVariable ? `refuses ${tokenVariable} or does not answer` : 'does not answer'
    throw new UserError(`${service.title} at ${new URL(url).host}, from ${urlVariable}, ${what}. Correct or unset it.`)
  }
  if (record.run) await stopRun(record.run, service.stopSignal)
  record.run = { source: 'url', url, ...(token && { token }) }
}

async function startFromFirstSource(
  service: Service,
  place: Place,
  record: ServiceRecord,
  progress: Progress,
  save: () => void,
): Promise<void> {
  const reasons: string[] = []
  for (const source of order(record)) {
    try {
      const version = await startFrom(source, service, place, record, progress, save)
      record.madeBy ??= { source, version }
      save()
      return
    } catch (error) {
      reasons.push(`${descriptions[source]}: ${(error as Error).message}`)
      if (!record.madeBy) await rm(place.data, { recursive: true, force: true })
    }
  }
  throw noneServes(service, record, reasons)
}

/** Data stays with what made it; only the two sources of binaries can take each other's place. */
function order(record: ServiceRecord): LocalSource[] {
  switch (record.madeBy?.source) {
    case undefined:
      return ['path', 'docker', 'packaged']
    case 'docker':
      return ['docker']
    case 'path':
      return ['path', 'packaged']
    case 'packaged':
      return ['packaged', 'path']
  }
}

async function startFrom(
  source: LocalSource,
  service: Service,
  place: Place,
  record: ServiceRecord,
  progress: Progress,
  save: () => void,
): Promise<string> {
  if (source === 'docker') {
    await startContainer(service, place, record, progress, save)
    return service.container(record).image
  }
  const binary: Binary = source === 'path' ? await service.findOnPath() : await service.findPackaged(progress)
  const { madeBy } = record
  if (madeBy && !service.reads(madeBy.version, binary.version)) {
    throw new Error(`${binary.file} is ${binary.version}; the data was made by ${madeBy.version}`)
  }
  await startChild(service, place, record, binary, progress, save)
  return binary.version
}

function noneServes(service: Service, record: ServiceRecord, reasons: string[]): UserError {
  const tried = reasons.map((reason) => `  - ${reason.replaceAll('\n', '\n    ')}`).join('\n')
  const { madeBy } = record
  if (madeBy) {
    const origin = `${service.title} ${madeBy.version} (${descriptions[madeBy.source]})`
    return new UserError(
      `${origin} made the stack's data and cannot be started again:\n${tried}\nBring it back, or discard the data with \`pii-vault stack wipe\`.`,
    )
  }
  const variables = [service.urlVariable, service.tokenVariable].filter(Boolean).join(' and ')
  return new UserError(`No ${service.title} could be started:
${tried}
Any of these three ways out will do:
  1. set ${variables} to a server of yours
  2. install ${service.title}, so that ${service.programs} can be found on PATH
  3. start a Docker engine that can pull ${service.container(record).image}`)
}
