/** Exit codes of every command. */
export const exitCodes = { failed: 1, usage: 2, credentials: 3 } as const

/**
 * An error whose message is for the person at the terminal: what is wrong, where, and what to do about it.
 * It never quotes a value, and commands print it without a stack trace.
 */
export class UserError extends Error {
  override readonly name = 'UserError'
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message)
    this.exitCode = exitCode
  }
}
