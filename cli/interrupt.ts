import { constants } from 'node:os'
import { say } from './terminal.ts'

const signals = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const

/** Runs work that a first Ctrl-C ends in order, and a second one at once. */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  let exitCode: number | undefined
  const interrupt = (signal: NodeJS.Signals) => {
    exitCode ??= 128 + constants.signals[signal] // the shell's custom
    say('\nInterrupted: cleaning up.')
    controller.abort()
  }
  for (const signal of signals) process.once(signal, interrupt)
  try {
    await work(controller.signal)
  } catch (error) {
    // However it shows in the depths, it was the interruption.
    if (exitCode === undefined) throw error
    process.exitCode = exitCode
  } finally {
    for (const signal of signals) process.off(signal, interrupt)
  }
}
