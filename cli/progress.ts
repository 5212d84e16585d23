import { SingleBar } from 'cli-progress'

/** Shows how far a long run is: a bar on a terminal, a line now and then elsewhere. Always on standard error. */
export interface Progress {
  /** `rows` done so far, and the items in them. */
  update(rows: number, items: number): void
  stop(): void
}

const lineEveryMs = 5_000
/** After this long without an answer, a person is told what may be the matter. */
const silenceMs = 10_000

/** `total` rows where it is known. `silent`: what to say if nothing comes back for a while. */
export function showProgress(label: string, total: number | undefined, silent: string): Progress {
  const started = Date.now()
  const rate = (items: number) => Math.round(items / Math.max(0.001, (Date.now() - started) / 1_000))
  const view = process.stderr.isTTY && total !== undefined ? bar(label, total, rate) : lines(label, total, rate)
  let silence = setTimeout(say, silenceMs)

  function say(): void {
    process.stderr.write(`\n${label}: no answer for ${silenceMs / 1_000} s. ${silent}\n`)
  }
  return {
    update(rows, items) {
      clearTimeout(silence)
      silence = setTimeout(say, silenceMs)
      view.update(rows, items)
    },
    stop() {
      clearTimeout(silence)
      view.stop()
    },
  }
}

function bar(label: string, total: number, rate: (items: number) => number): Progress {
  const shown = new SingleBar({
    format: `${label} [{bar}] {percentage}% · {value}/{total} rows · {rate} items/s · {eta_formatted} left`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    etaBuffer: 50,
    stream: process.stderr,
  })
  shown.start(total, 0, { rate: 0 })
  return {
    update: (rows, items) => shown.update(rows, { rate: rate(items).toLocaleString('en') }),
    stop: () => shown.stop(),
  }
}

function lines(label: string, total: number | undefined, rate: (items: number) => number): Progress {
  let last = Date.now()
  return {
    update(rows, items) {
      if (Date.now() - last < lineEveryMs) return
      last = Date.now()
      const of = total === undefined ? '' : ` of ${total.toLocaleString('en')}`
      process.stderr.write(
        `${label}: ${rows.toLocaleString('en')}${of} rows, ${rate(items).toLocaleString('en')} items/s\n`,
      )
    },
    stop: () => undefined,
  }
}
