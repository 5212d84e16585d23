import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { readWorkerConfig } from '../../../../shared/config/environment.ts'
import type { Environment } from '../../../../shared/config/reader.ts'
import { exitCodes, UserError } from '../../../../shared/errors/user-error.ts'

/** What a worker needs, all of it on this machine. */
export const workerSettings: Environment = {
  QUEUE_URL: 'redis://127.0.0.1:6379',
  DATABASE_URL: 'postgres://detok:pw@localhost:5432/vault',
  TRANSIT_ADDR: 'http://127.0.0.1:8200',
  TRANSIT_ROLE_ID: 'role',
  // Any file will do.
  TRANSIT_SECRET_ID_FILE: import.meta.filename,
  POLICY: fileURLToPath(new URL('../../../../policy/bundle', import.meta.url)),
}

/** The lines of what is wrong with these settings; none if they are taken. */
export function problems(change: Environment, read: (env: Environment) => unknown = readWorkerConfig): string[] {
  try {
    read({ ...workerSettings, ...change })
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(UserError)
    expect(error).toMatchObject({ exitCode: exitCodes.usage })
    return (error as UserError).message
      .split('\n  - ')
      .slice(1)
      .map((line) => line.split('\n')[0] as string)
  }
}

/** A file that lives as long as the test. */
export function fileOf(content: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'settings-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'file')
  writeFileSync(path, content)
  return path
}
