import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { neutralEnvironment } from './process.ts'

const run = promisify(execFile)

/** The first of the names that PATH has, as an absolute path. */
export async function findProgram(...names: string[]): Promise<string | undefined> {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  for (const name of names) {
    for (const folder of folders) {
      if (await isExecutable(join(folder, name))) return join(folder, name)
    }
  }
  return undefined
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}

/** The version a program tells of itself; also the proof that it runs on this machine at all. */
export async function versionOf(file: string, args: string[], pattern: RegExp): Promise<string> {
  const { stdout } = await runProgram(file, args)
  const version = pattern.exec(stdout)?.[1]
  if (!version) throw new Error(`${file} ${args.join(' ')} does not tell its version`)
  return version
}

/** Runs a program to its end. Its last words become the error's text. */
export async function runProgram(
  file: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<{ stdout: string }> {
  try {
    return await run(file, args, {
      ...(options.cwd && { cwd: options.cwd }),
      env: options.env ?? neutralEnvironment(),
      timeout: options.timeoutMs ?? 60_000,
      maxBuffer: 16 * 1024 * 1024,
    })
  } catch (error) {
    const { stderr, stdout, killed, message } = error as Error & { stderr?: string; stdout?: string; killed?: boolean }
    if (killed) throw new Error(`${file} did not finish in time`)
    const words = [stderr, stdout].map((text) => text?.trim()).find(Boolean) ?? message
    throw new Error(`${file}: ${words.split('\n').slice(-8).join('\n')}`)
  }
}

/** Whether a dotted version is at least the other, by its numbers. */
export function atLeast(version: string, minimum: string): boolean {
  const numbers = (text: string) => text.split('.').map((part) => Number.parseInt(part, 10) || 0)
  const [have, need] = [numbers(version), numbers(minimum)]
  for (const [index, wanted] of need.entries()) {
    const got = have[index] ?? 0
    if (got !== wanted) return got > wanted
  }
  return true
}
