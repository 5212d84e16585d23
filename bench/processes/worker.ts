import { z } from 'zod'
import { readWorkerConfig } from '../../shared/config/environment.ts'
import { queues } from '../../shared/contract/grammar.ts'
import { createLogger } from '../../shared/log/log.ts'
import { Replica } from '../../workers/replica.ts'
import { Profiler, threadCpu } from '../measure/profiler.ts'
import { serve } from './ipc.ts'

// One replica of a pool, as in production. BENCH_QUEUE says of which pool; the rest is a worker's environment.

const config = readWorkerConfig(process.env)
const replica = await Replica.start({
  queue: z.enum(queues).parse(process.env['BENCH_QUEUE']),
  config,
  log: createLogger(config.logLevel, 'bench'),
  onFatal: (error) => {
    console.error(error)
    process.exit(1)
  },
})

const profiler = new Profiler()

const handlers = {
  /** What it did so far, and how long its stages took since they were reset. */
  figures: () => ({ ...replica.figures, durations: replica.timings.durations }),
  resetDurations: () => replica.timings.reset(),
  threadCpu,
  startProfile: () => profiler.start(),
  stopProfile: () => profiler.stop(),
}
export type WorkerHandlers = typeof handlers
serve(handlers, () => replica.close(5_000))
