import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UserError } from '../shared/errors/user-error.ts'
import { lockName } from './lock.ts'

export const packageRoot = fileURLToPath(new URL('..', import.meta.url))
/** In the package, unless STACK_DIRECTORY names another place. */
export const defaultDirectory = resolve(process.env['STACK_DIRECTORY'] || join(packageRoot, '.stack'))

// Says that the directory is ours. Without it, `wipe` on a mistyped path would empty somebody's home.
const marker = 'pii-vault-stack'

export function claimDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // In this order: another start puts the marker in before anything else.
  const others = readdirSync(directory).filter((name) => name !== lockName)
  if (isStackDirectory(directory)) return
  if (others.length > 0) {
    throw new UserError(`${directory} holds other files. Choose an empty or new directory for the stack.`)
  }
  writeFileSync(join(directory, marker), 'An embedded stack. Remove it with `pii-vault stack wipe`.\n', { mode: 0o600 })
}

export function isStackDirectory(directory: string): boolean {
  return existsSync(join(directory, marker))
}

/** Everything goes, the marker and the lock last: a wipe that was interrupted can be repeated. */
export function emptyDirectory(directory: string): void {
  const kept = [marker, lockName]
  for (const name of readdirSync(directory)) {
    if (!kept.includes(name)) rmSync(join(directory, name), { recursive: true, force: true })
  }
  for (const name of kept) rmSync(join(directory, name), { force: true })
  rmdirSync(directory)
}
