import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../shared/errors/error-code.ts'

export type ServiceName = 'postgres' | 'valkey' | 'openbao'

/**
 * What serves a service now.
 *
 * absent   nothing: never started, or stopped
 * url      a server of the user's, by a URL from the environment; never stopped by us
 * path     a child process of a binary on PATH; may have died since, which pid and start time tell
 * packaged the same with a binary that npm or pip brought
 * docker   a container; may have died since, which the engine tells
 */
const run = z.discriminatedUnion('source', [
  z.strictObject({ source: z.literal('url'), url: z.string(), token: z.string().optional() }),
  z.strictObject({ source: z.enum(['path', 'packaged']), pid: z.int().positive(), start: z.string() }),
  z.strictObject({ source: z.literal('docker'), container: z.string() }),
])
export type Run = z.infer<typeof run>

const record = z.strictObject({
  /** Remembered across stops, so that clients find a restarted server where it was. */
  ports: z.array(z.int().positive()),
  password: z.string().min(1),
  /** Set once a server was ready for the first time. Without it the data was never used by anyone and may be thrown away. */
  madeBy: z.strictObject({ source: z.enum(['path', 'packaged', 'docker']), version: z.string() }).optional(),
  /** OpenBao only. */
  keys: z.strictObject({ unsealKey: z.string(), rootToken: z.string() }).optional(),
  run: run.optional(),
})
export type ServiceRecord = z.infer<typeof record>

/** One service's part of the stack's directory. */
export interface Place {
  readonly root: string
  readonly folder: string
  readonly data: string
  readonly logFile: string
}

export function placeOf(directory: string, name: ServiceName): Place {
  const folder = join(directory, name)
  return { root: directory, folder, data: join(folder, 'data'), logFile: join(folder, 'server.log') }
}

export function readRecord(place: Place): ServiceRecord | undefined {
  let text: string
  try {
    text = readFileSync(stateFile(place), 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  return record.parse(JSON.parse(text))
}

/** Hexadecimal, so that it needs no quoting in a URL, a configuration file or an environment file. */
export function newRecord(): ServiceRecord {
  return { ports: [], password: randomBytes(24).toString('hex') }
}

/** Complete or not at all: a start that is killed while it writes must not cost the unseal key. */
export function writeRecord(place: Place, content: ServiceRecord): void {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  const temporary = `${stateFile(place)}.new`
  writeFileSync(temporary, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600, flush: true })
  renameSync(temporary, stateFile(place))
}

function stateFile(place: Place): string {
  return join(place.folder, 'state.json')
}
