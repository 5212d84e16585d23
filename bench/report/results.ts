import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Machine } from '../measure/machine.ts'
import type { SuiteResult } from '../suite.ts'
import { svgOf } from './charts.ts'
import type { Verdict } from './verdicts.ts'

/** The figures as JSON, and the charts beside it. The names of what was written. */
export async function writeResults(
  file: string,
  machine: Machine,
  results: ReadonlyMap<string, SuiteResult>,
  scorecard: readonly Verdict[],
): Promise<string[]> {
  const folder = dirname(file)
  await mkdir(folder, { recursive: true })
  const suites = Object.fromEntries(
    Array.from(results, ([name, { load, tables, figures }]) => [name, { load, tables, figures }]),
  )
  const charts = Array.from(results.values()).flatMap((result) => result.charts)
  await writeFile(file, `${JSON.stringify({ machine, suites, scorecard }, null, 2)}\n`)
  const written = [file]
  for (const chart of charts) {
    const svg = join(folder, `${chart.name}.svg`)
    await writeFile(svg, svgOf(chart))
    written.push(svg)
  }
  return written
}
