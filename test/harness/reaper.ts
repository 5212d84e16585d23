import { once } from 'node:events'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isStackDirectory } from '../../stack/directory.ts'
import { wipeStack } from '../../stack/index.ts'

/*
 * `reaper.ts DIRECTORY`, a process of its own: when its standard input ends, the stacks in the directory are wiped, and it is
 * removed. Whoever holds the other end of that pipe ends it when it likes to, or by dying, be it of SIGKILL.
 */

const [directory = ''] = process.argv.slice(2)
const tries = 20

process.stdin.resume()
await once(process.stdin, 'end')

// A start that was cut short may have left an `initdb` that still writes; it ends by itself.
for (let attempt = 1; ; attempt++) {
  try {
    await reap()
    break
  } catch (error) {
    if (attempt === tries) throw error
    await delay(250)
  }
}

async function reap(): Promise<void> {
  const stacks = (await readdir(directory)).map((name) => join(directory, name)).filter(isStackDirectory)
  await Promise.all(stacks.map(wipeStack))
  await rm(directory, { recursive: true })
}
