/** By the shell's custom: 128 and the number of SIGINT. */
const interruptedExitCode = 130

/** Runs work that a first Ctrl-C ends in order, and a second one at once. */
export async function interruptible(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const interrupt = () => {
    process.stderr.write('\nInterrupted: cleaning up.\n')
    controller.abort(new Interrupted())
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt)
  try {
    await work(controller.signal)
  } catch (error) {
    if (!(error instanceof Interrupted)) throw error
    process.exitCode = interruptedExitCode
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt)
  }
}

class Interrupted extends Error {}
