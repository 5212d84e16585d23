import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { cpuSecondsOf, peakMemoryOf, timesOf } from '../../../bench/measure/process-usage.ts'

const onLinux = test.runIf(process.platform === 'linux')

test('a program may be called what it likes', () => {
  const stat = '71 (a) b (c)) S 42 71 71 0 -1 4194304 100 200 0 0 150 50 25 75 20 0 1 0 9 0 0'
  expect(timesOf(stat)).toEqual({ parent: 42, cpuSeconds: 3 })
  expect(timesOf('71 (a')).toBeUndefined()
})

test('a process that is not to be seen has no figures', () => {
  expect(cpuSecondsOf(undefined)).toBeUndefined()
  expect(cpuSecondsOf(2 ** 30)).toBeUndefined()
  expect(peakMemoryOf(2 ** 30)).toBeUndefined()
})

onLinux('what children use counts for their parent, also once they have ended', async () => {
  const spin = 'while (process.cpuUsage().user < 300_000);'
  const script = `require('node:child_process').execFileSync(process.execPath, ['-e', ${JSON.stringify(spin)}]); process.stdin.resume()`
  const parent = spawn(process.execPath, ['-e', `${script}; console.log('done')`], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  try {
    await once(parent.stdout, 'data')
    expect(cpuSecondsOf(parent.pid)).toBeGreaterThan(0.2)
    expect(peakMemoryOf(parent.pid)).toBeGreaterThan(10)
  } finally {
    parent.kill('SIGKILL')
    await once(parent, 'close')
  }
})
