import type { Logger } from '../log/log.ts'

/**
 * What was opened, to be closed in reverse order: once, each step even if another fails, and all within a deadline, since
 * closing a connection to a server that is unreachable may never end.
 */
export class Closing {
  readonly #steps: { name: string; close: () => Promise<void> | void }[] = []
  #closed: Promise<void> | undefined

  onClose(name: string, close: () => Promise<void> | void): void {
    this.#steps.push({ name, close })
  }

  close(deadlineMs: number, log: Logger): Promise<void> {
    this.#closed ??= this.#closeAll(deadlineMs, log)
    return this.#closed
  }

  async #closeAll(deadlineMs: number, log: Logger): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, deadlineMs, 'late')
    })
    for (const { name, close } of this.#steps.toReversed()) {
      const step = Promise.resolve().then(close)
      const failed = step.then(
        () => undefined,
        (error: unknown) => log.warn({ step: name, err: error }, 'closing failed'),
      )
      if ((await Promise.race([failed, deadline])) === 'late')
        log.warn({ step: name }, 'closing took too long: left behind')
    }
    clearTimeout(timer)
  }
}
