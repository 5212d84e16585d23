import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { promisify } from 'node:util'
import { runProgram } from './programs.ts'

const run = promisify(execFile)

/** How a program is run that refuses to run as root: a command to put before it, and who must own its files. */
export interface Unprivileged {
  readonly prefix: string[]
  readonly owner?: number
}

const nobody = 65_534

// Inside a user namespace the program sees itself as user 1000, while its files and signals are still root's.
// Containers often forbid namespaces; there it becomes `nobody`, and keeps the one capability that lets it reach its files
// through directories that are closed to everybody but root. Both commands end in exec, so the pid is the program's own.
const ways: Unprivileged[] = [
  { prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000', '--'], owner: 0 },
  {
    prefix: [
      'setpriv',
      `--reuid=${nobody}`,
      `--regid=${nobody}`,
      '--clear-groups',
      '--inh-caps=-all,+dac_override',
      '--ambient-caps=-all,+dac_override',
      '--bounding-set=-all,+dac_override',
      '--',
    ],
    owner: nobody,
  },
]

export async function unprivileged(): Promise<Unprivileged> {
  if (process.getuid?.() !== 0) return { prefix: [] }
  const reasons: string[] = []
  for (const way of ways) {
    const [file = '', ...args] = way.prefix
    try {
      await runProgram(file, [...args, 'true'])
      return way
    } catch (error) {
      reasons.push((error as Error).message)
    }
  }
  throw new Error(`it does not run as root, and there is no way to be somebody else here (${reasons.join('; ')})`)
}

/** A directory made by one way and used by another changes hands. */
export async function handOver(directory: string, owner: number | undefined): Promise<void> {
  if (owner === undefined || (await lstat(directory)).uid === owner) return
  await run('chown', ['-R', '-h', `${owner}:${owner}`, directory])
}
