import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram, runProgram } from '../../stack/programs.ts'

/** Runs the scripts of this folder. */
export interface Python {
  readonly program: string
  readonly env: NodeJS.ProcessEnv
}

export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const cache = fileURLToPath(new URL('../../.cache/interop', import.meta.url))
const requirements = script('requirements.txt')

/**
 * Python with the packages that requirements.txt pins, unpacked once for each version of that file and of Python; or why
 * this machine cannot have it. Anything else that goes wrong is an error, not a reason to skip.
 */
export async function findPython(): Promise<Python | { readonly missing: string }> {
  const program = await findProgram('python3', 'python')
  if (program === undefined) return { missing: 'no python3 on PATH' }
  const { stdout } = await runProgram(program, ['-c', 'import sys; print(sys.version_info >= (3, 11), sys.version)'])
  if (!stdout.startsWith('True')) return { missing: 'python3 is older than 3.11' }
  const pip = await runProgram(program, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  )
  if (!pip) return { missing: 'python3 has no pip' }
  const hash = createHash('sha256')
    .update(await readFile(requirements))
    .update(stdout)
  const packages = join(cache, hash.digest('hex').slice(0, 16))
  if (!existsSync(packages)) await install(program, packages)
  return { program, env: { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' } }
}

async function install(program: string, packages: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  // Beside its final place, so that the last step is a rename: the folder is there complete or not at all.
  const temporary = await mkdtemp(join(cache, 'installing-'))
  try {
    const options = [
      '--quiet',
      '--no-input',
      '--disable-pip-version-check',
      '--no-compile',
      '--root-user-action=ignore',
    ]
    const pinned = ['--require-hashes', '--only-binary=:all:', '--target', temporary, '--requirement', requirements]
    await runProgram(program, ['-m', 'pip', 'install', ...options, ...pinned], {
      env: { ...process.env, PIP_REQUIRE_VIRTUALENV: 'false' },
      timeoutMs: 240_000,
    })
    await rename(temporary, packages).catch((error: NodeJS.ErrnoException) => {
      // Another test file was faster, and brought the same.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}
