/** One number, or one for each part of a row with two bounds. */
export type Value = number | Readonly<Record<string, number>>

/** What must be reached. `atMost` includes the bound, `below` does not. */
export interface Row {
  readonly id: string
  readonly what: string
  readonly direction: 'atLeast' | 'atMost' | 'below'
  readonly bound: Value
}

/** In the order in which they are reported. Ratios are of figures from one run on one machine. */
export const scorecard = [
  {
    id: 'detok-20-over-raw',
    what: 'detok, jobs of 20: items/s ÷ raw Transit unwraps/s',
    direction: 'atLeast',
    bound: 0.4,
  },
  {
    id: 'detok-200-over-raw',
    what: 'detok, jobs of 200: items/s ÷ raw Transit unwraps/s',
    direction: 'atLeast',
    bound: 0.5,
  },
  {
    id: 'tokenize-20-over-raw',
    what: 'tokenize, jobs of 20: items/s ÷ raw Transit wraps/s',
    direction: 'atLeast',
    bound: 0.3,
  },
  {
    id: 'detok-1-over-noop',
    what: 'detok, jobs of one: jobs/s ÷ BullMQ no-op jobs/s',
    direction: 'atLeast',
    bound: 0.5,
  },
  {
    id: 'detok-20-over-obvious',
    what: 'detok, jobs of 20: items/s ÷ the obvious worker’s',
    direction: 'atLeast',
    bound: 8,
  },
  {
    id: 'detok-20-over-other-queues',
    what: 'detok, jobs of 20: items/s ÷ best of graphile-worker, pg-boss',
    direction: 'atLeast',
    bound: 1.5,
  },
  {
    id: 'batch-fill',
    what: 'mean batch fill at saturation',
    direction: 'atLeast',
    bound: { jobsOf20: 20, jobsOf1: 18 },
  },
  {
    id: 'cpu-over-raw',
    what: 'CPU of an item, jobs of 20, all processes ÷ raw Transit’s',
    direction: 'atMost',
    bound: 2.4,
  },
  {
    id: 'unloaded-over-raw',
    what: 'unloaded: enqueue to reply of one item ÷ raw Transit batch-20, c=1',
    direction: 'atMost',
    bound: { p50: 6, p99: 15 },
  },
  {
    id: 'p99-at-300',
    what: '300 items/s offered: pick-up to reply, p99, ms (or 2 × raw Transit’s under that load)',
    direction: 'below',
    bound: 10,
  },
  {
    id: 'replicas-4-over-1',
    what: 'throughput of 4 replicas ÷ 1, Transit slowed',
    direction: 'atLeast',
    bound: 3.6,
  },
  {
    id: 'export-memory',
    what: 'export: peak memory, MiB, flat in the row count',
    direction: 'atMost',
    bound: { cli: 200, worker: 200 },
  },
  {
    id: 'export-over-composed',
    what: 'export: items/s ÷ composed items/s',
    direction: 'atLeast',
    bound: 0.8,
  },
  {
    id: 'small-job-under-bulk',
    what: 'a job of one under bulk load: p99 ÷ its unloaded p99',
    direction: 'atMost',
    bound: 4,
  },
] as const satisfies readonly Row[]

export type RowId = (typeof scorecard)[number]['id']
