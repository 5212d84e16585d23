import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../harness/until.ts'
import { isGone } from './servers.ts'

/* A run of the tests that is killed leaves neither servers nor files behind. */

/** Says where its stack is and which processes serve it. Then it hangs, as a run that somebody has to kill. */
const run = `
  import { stackStatus } from '${new URL('../../../stack/index.ts', import.meta.url)}'
  import { startTestStack } from '${new URL('../../stack.ts', import.meta.url)}'
  const { stack } = await startTestStack()
  const { services } = await stackStatus(stack.directory)
  console.log(JSON.stringify({ directory: stack.directory, pids: services.map(({ pid }) => pid) }))
  setInterval(() => undefined, 1_000)`

test('the servers of a run end, and their directory goes, when it and all its process group get SIGKILL', async () => {
  const killed = spawn(process.execPath, ['--input-type=module-typescript', '-e', run], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void killed.kill('SIGKILL'))
  const [line] = (await once(createInterface(killed.stdout), 'line')) as [string]
  const { directory, pids } = JSON.parse(line) as { directory: string; pids: number[] }
  const gone = () => Promise.all(pids.map(isGone))
  expect(await gone()).toEqual([false, false, false])
  process.kill(-(killed.pid as number), 'SIGKILL')
  await until('the servers are gone', async () => (await gone()).every(Boolean))
  await until('the directory is gone', () => !existsSync(dirname(directory)))
})
