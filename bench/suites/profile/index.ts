import type { Suite } from '../../suite.ts'
import { chartOf } from './chart.ts'
import { measure, sizesOf } from './measurements.ts'
import { loadText, tablesOf } from './tables.ts'

/** What bounds a worker, where it is CPU. */
export const profile: Suite = {
  name: 'profile',
  about: 'where the CPU of a worker goes, by part of the work',
  async run(bench) {
    const sizes = sizesOf(bench)
    const measured = await measure(bench, sizes)
    return { load: loadText(sizes), tables: tablesOf(measured), figures: {}, charts: [chartOf(measured)] }
  },
}
