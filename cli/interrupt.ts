import { say } from './terminal.ts'

/** By the shell's custom: 128 and the number of the signal. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

/** Runs work that a first Ctrl-C ends in order, and a second one at once. */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  let exitCode: number | undefined
  const interrupt = (signal: NodeJS.Signals) => {
    exitCode ??= exitCodes[signal as keyof typeof exitCodes]
    say('\nInterrupted: cleaning up.')
    controller.abort()
  }
  const signals = Object.keys(exitCodes) as (keyof typeof exitCodes)[]
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
