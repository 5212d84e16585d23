import { resolve } from 'node:path'
import { Secret } from '../shared/crypto/secret.ts'
import { isRunning, pidOf } from './running.ts'
import type { Service } from './service.ts'
import { allServices, services } from './services/index.ts'
import type { Place, ServiceName, ServiceRecord } from './state.ts'
import { placeOf, readRecord } from './state.ts'

/** Where the three servers are. The first two hold passwords: never log them. */
export interface StackAddresses {
  readonly queueUrl: string
  readonly databaseUrl: string
  readonly transitAddr: string
}

export interface Stack {
  readonly addresses: StackAddresses
  readonly transitRootToken: Secret
}

export interface ServiceStatus {
  readonly service: ServiceName
  readonly running: boolean
  readonly pid?: number
  readonly port?: number
  readonly source: 'url' | 'path' | 'docker' | 'packaged'
}

/** What runs now. The stack itself only if all of it does. */
export async function stackStatus(path: string): Promise<{ services: ServiceStatus[]; stack?: Stack }> {
  const directory = resolve(path)
  const found = await Promise.all(allServices.map((service) => statusOf(placeOf(directory, service.name), service)))
  const statuses = found.filter((status) => status !== undefined)
  const running = statuses.length === allServices.length && statuses.every((status) => status.running)
  const stack = running ? stackOf(directory) : undefined
  return { services: statuses, ...(stack && { stack }) }
}

async function statusOf(place: Place, service: Service): Promise<ServiceStatus | undefined> {
  const record = readRecord(place)
  const source = record?.run?.source ?? record?.madeBy?.source
  if (!record || !source) return undefined
  const running = record.run ? await isRunning(record.run) : false
  const pid = running && record.run ? await pidOf(record.run) : undefined
  const port = Number(new URL(addressOf(service, record)).port) || undefined
  return { service: service.name, running, source, ...(pid && { pid }), ...(port && { port }) }
}

function addressOf(service: Service, record: ServiceRecord): string {
  return record.run?.source === 'url' ? record.run.url : service.address(record)
}

export function stackOf(directory: string): Stack | undefined {
  const database = readRecord(placeOf(directory, 'postgres'))
  const queue = readRecord(placeOf(directory, 'valkey'))
  const transit = readRecord(placeOf(directory, 'openbao'))
  const token = transit?.run?.source === 'url' ? transit.run.token : transit?.keys?.rootToken
  if (!database || !queue || !transit || !token) return undefined
  return {
    addresses: {
      databaseUrl: addressOf(services.postgres, database),
      queueUrl: addressOf(services.valkey, queue),
      transitAddr: addressOf(services.openbao, transit),
    },
    transitRootToken: new Secret(token),
  }
}
