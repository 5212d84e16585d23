import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
if (!/^[0-9]{1,4}(\.[0-9]+)?$/.test(values.minutes)) {
  process.stderr.write('npm run soak -- --minutes N: how long, such as 10 or 0.5\n')
  process.exit(2)
}
const vitest = spawn('npx', ['vitest', 'run', '--config', 'vitest.faults.config.ts'], {
  stdio: 'inherit',
  env: { ...process.env, SOAK_MINUTES: values.minutes },
})
const [code] = (await once(vitest, 'exit')) as [number | null]
process.exitCode = code ?? 1
