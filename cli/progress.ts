import { SingleBar } from 'cli-progress'
import { count, pin, say } from './terminal.ts'

/** Shows how far a long run is: a bar on a terminal, a line now and then elsewhere. Always on standard error. */
export interface Progress {
  /** `rows` done so far, and the items that were converted. */
  update(rows: number, items: number): void
  stop(): void
}

const lineEveryMs = 5_000
/** After this long without progress, a person is told what may be the matter. */
const silenceMs = 10_000

interface Span {
  /** By an earlier run. */
  readonly done: number
  /** With those; undefined where it is not known. */
  readonly total: number | undefined
}

/** `silent`: what to say if nothing comes back for a while. */
export function showProgress(label: string, { done, total }: Span, silent: string): Progress {
  const started = Date.now()
  const rate = (items: number) => count(Math.round(items / Math.max(0.001, (Date.now() - started) / 1_000)))
  const view = process.stderr.isTTY && total !== undefined ? bar(label, done, total, rate) : lines(label, total, rate)
  const hint = () => say(`${label}: no progress for ${silenceMs / 1_000} s. ${silent}`)
  let silence = setTimeout(hint, silenceMs)
  return {
    update(rows, items) {
      clearTimeout(silence)
      silence = setTimeout(hint, silenceMs)
      view.update(rows, items)
    },
    stop() {
      clearTimeout(silence)
      view.stop()
    },
  }
}

function bar(label: string, before: number, total: number, rate: (items: number) => string): Progress {
  const shown = new SingleBar({
    format: `${label} [{bar}] {percentage}% · {done}/{all} rows · {rate} items/s · {left}`,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    hideCursor: true,
    // A resized or narrow terminal would otherwise be filled with broken bars.
    linewrap: false,
    // Also where it did not change: what was said may have taken its place.
    forceRedraw: true,
    stream: process.stderr,
  })
  const started = Date.now()
  const payload = (rows: number, items: number) => ({
    done: count(rows),
    all: count(total),
    rate: rate(items),
    left: rows === before ? '' : `${duration(((Date.now() - started) / (rows - before)) * (total - rows))} left`,
  })
  shown.start(total, before, payload(before, 0))
  pin({ erase: () => process.stderr.write('\r\x1b[K'), draw })

  function draw(): void {
    process.stderr.write('\x1b7') // `stop` goes back to the place that was saved last
    shown.render()
  }
  return {
    update: (rows, items) => shown.update(rows, payload(rows, items)),
    stop() {
      pin(undefined)
      shown.stop()
    },
  }
}

function lines(label: string, total: number | undefined, rate: (items: number) => string): Progress {
  let last = Date.now()
  return {
    update(rows, items) {
      if (Date.now() - last < lineEveryMs) return
      last = Date.now()
      const of = total === undefined ? '' : ` of ${count(total)}`
      say(`${label}: ${count(rows)}${of} rows, ${rate(items)} items/s`)
    },
    stop: () => undefined,
  }
}

/** `7 s`, `3 min 05 s`, `2 h 10 min`. */
function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor((seconds % 3_600) / 60)]
  const padded = (n: number) => String(n).padStart(2, '0')
  if (hours > 0) return `${hours} h ${padded(minutes)} min`
  return minutes > 0 ? `${minutes} min ${padded(seconds % 60)} s` : `${seconds} s`
}
