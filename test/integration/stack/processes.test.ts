import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { stackStatus, startStack, stopService } from '../../../stack/index.ts'
import { placeOf, writeRecord } from '../../../stack/state.ts'
import { expectLeft, leave, recordOf, transit, useDirectories } from './servers.ts'

/* One set of servers, however many processes start it or die of it, and no other process is touched. */

const { newDirectory } = useDirectories()

test('a stack never signals a process that merely got the pid of one of its servers', async () => {
  const directory = newDirectory()
  await startStack({ directory })
  await stopService(directory, 'valkey')
  const bystander = spawn('sleep', ['60'])
  await once(bystander, 'spawn')
  const place = placeOf(directory, 'valkey')
  const record = recordOf(directory, 'valkey')
  writeRecord(place, { ...record, run: { source: 'packaged', pid: bystander.pid as number, start: 'another time' } })
  expect((await stackStatus(directory)).services.find(({ service }) => service === 'valkey')?.running).toBe(false)
  await stopService(directory, 'valkey')
  expect(bystander.exitCode).toBeNull()
  expect(bystander.signalCode).toBeNull()
  await startStack({ directory })
  expect(bystander.signalCode).toBeNull()
  bystander.kill()
  await once(bystander, 'exit')
})

test('several processes that start one stack at the same time start one set of servers', async () => {
  const directory = newDirectory()
  const script = `
    import { startStack, stackStatus } from '${new URL('../../../stack/index.ts', import.meta.url)}'
    await startStack({ directory: process.argv[1] })
    console.log(JSON.stringify((await stackStatus(process.argv[1])).services.map(({ pid }) => pid)))`
  const start = () => promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', script, directory])
  const answers = await Promise.all([start(), start(), start()])
  expect(new Set(answers.map(({ stdout }) => stdout)).size).toBe(1)
  // The servers outlive the processes that started them.
  expect((await stackStatus(directory)).stack).toBeDefined()
})

test('a start that is killed half way leaves nothing that the next start cannot use', async () => {
  const directory = newDirectory()
  const script = `
    import { startStack } from '${new URL('../../../stack/index.ts', import.meta.url)}'
    await startStack({ directory: process.argv[1], onProgress: () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(process.argv[2])) })`
  for (const afterMs of [50, 300, 900]) {
    const start = spawn(process.execPath, ['--input-type=module-typescript', '-e', script, directory, String(afterMs)])
    await once(start, 'exit')
  }
  const stack = await startStack({ directory })
  await transit(stack, 'PUT', 'sys/mounts/transit', { type: 'transit' })
  await leave(stack, 'after all')
  await expectLeft(stack, 'after all')
})
