import { readFileSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { startOf } from '../process.ts'
import { runProgram } from '../programs.ts'
import type { Binary } from '../service.ts'
import type { Place, ServiceRecord } from '../state.ts'

export const superuser = 'postgres'

/** Beside the server, so that the two are of one version. */
export function initdbOf(file: string): string {
  return join(dirname(file), 'initdb')
}

export async function makeCluster(
  place: Place,
  record: ServiceRecord,
  binary: Binary,
  prefix: string[],
): Promise<void> {
  // Under another name first: an initdb that was interrupted must not look like a cluster.
  const unfinished = `${place.data}.new`
  const passwordFile = join(place.folder, 'password')
  await rm(unfinished, { recursive: true, force: true })
  await writeFile(passwordFile, record.password, { mode: 0o600 })
  try {
    const [file = '', ...args] = [
      ...[...prefix, initdbOf(binary.file), '-D', unfinished, '-U', superuser, `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
    ]
    await runProgram(file, args, { cwd: place.folder })
    await rename(unfinished, place.data)
  } finally {
    await rm(passwordFile, { force: true })
    await rm(unfinished, { recursive: true, force: true })
  }
}

/**
 * After a SIGKILL the pid in postmaster.pid may belong to somebody else, or to the ended process that nobody has fetched yet.
 * Postgres would take either for a running server. The file of a server that is really there stays; and should children of
 * the killed one still be leaving, Postgres sees their shared memory without the file.
 */
export async function removeStalePidFile(place: Place): Promise<void> {
  const file = join(place.data, 'postmaster.pid')
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0])
  if (!pid) return
  const running = (await startOf(pid)) !== undefined
  if (!running || (process.platform === 'linux' && nameOnLinux(pid) !== 'postgres')) await rm(file, { force: true })
}

function nameOnLinux(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim()
  } catch {
    return undefined
  }
}
