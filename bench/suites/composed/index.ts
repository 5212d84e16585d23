import { recordsOf } from '../../load/backlog.ts'
import type { Suite } from '../../suite.ts'
import { chartsOf } from './charts.ts'
import { figuresOf } from './figures.ts'
import { measureOperatingPoint } from './operating-point.ts'
import { measureRoundTrips } from './round-trips.ts'
import { saturate, sizesOf, startRaws } from './saturation.ts'
import { loadText, tablesOf } from './tables.ts'
import { measureUnloaded } from './unloaded.ts'

/** The whole way of a request, in both directions, beside what Transit and BullMQ alone would do. */
export const composed: Suite = {
  name: 'composed',
  about: 'the whole worker path, one replica of each pool, next to raw Transit',
  async run(bench) {
    await bench.tokens(recordsOf(bench))
    const workers = { detok: await bench.worker('detok'), tokenize: await bench.worker('tokenize') }
    const raws = await startRaws(bench)
    const saturated = await saturate(bench, workers, raws)
    const client = await bench.vault.client(bench.actor, 'composed')
    try {
      const unloaded = await measureUnloaded(bench, client, raws.detok)
      const operatingPoint = await measureOperatingPoint(bench, { client, worker: workers.detok, raw: raws.detok })
      const roundTrips = await measureRoundTrips(bench, client)
      const all = { saturated, unloaded, operatingPoint, roundTrips }
      const load = loadText(sizesOf(bench), all)
      return { load, tables: tablesOf(all), figures: figuresOf(all), charts: chartsOf(all) }
    } finally {
      await client.close()
    }
  },
}
