import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UserError } from '../shared/errors/user-error.ts'
import { waitUntil } from './poll.ts'

export const lockName = 'lock'
const sqliteBusy = 5
// A first start downloads 75 MB while it holds the lock.
const patienceMs = 300_000

/**
 * Runs the task while no other process has the directory. The lock is SQLite's on an empty file, so the kernel lets go of
 * it when the holder dies, however it dies: a stale lock cannot exist.
 */
export async function withLock<T>(directory: string, task: () => Promise<T>): Promise<T> {
  const file = join(directory, lockName)
  let holder: DatabaseSync | undefined
  const taken = await waitUntil(() => {
    holder = tryLock(file)
    return holder !== undefined
  }, patienceMs)
  if (!taken || !holder)
    throw new UserError(`${directory} is in use by another process that starts or stops the stack.`)
  try {
    return await task()
  } finally {
    holder.close()
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  const before = statSync(file).ino
  const database = new DatabaseSync(file)
  try {
    database.exec('BEGIN EXCLUSIVE')
    // A wipe removes the file while others wait for it: who then gets the lock has it on a file nobody else will see.
    if (inode(file) === before) return database
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== sqliteBusy) {
      database.close()
      throw error
    }
  }
  database.close()
  return undefined
}

function inode(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.ino
}
