import type { Logger as PinoLogger } from 'pino'
import { pino } from 'pino'

/** Structured logs, one JSON object a line, on standard error: standard output belongs to a command's result. */
export type Logger = PinoLogger

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export function createLogger(level: LogLevel, name: string): Logger {
  return pino({ name, level, serializers: { err: describeError } }, pino.destination({ dest: 2, sync: true }))
}

/**
 * An error as it may be logged. Our own errors have fixed words. Of all others only name and code are kept: drivers and
 * parsers quote their input, and that can be a value.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const code: unknown = 'code' in error ? error.code : undefined
  const known = ownErrors.has(error.name)
  return {
    type: error.name,
    ...(typeof code === 'string' && /^[A-Z0-9_]{2,64}$/.test(code) ? { code } : {}),
    ...(known ? { message: error.message } : { at: frames(error) }),
  }
}

const ownErrors = new Set(['UserError', 'Unavailable', 'ContentRefused', 'ShuttingDown'])

/** Where it was thrown: the stack's frames, without the first lines, which repeat the message. */
function frames(error: Error): string[] {
  const lines = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line))
  return lines.slice(0, 4).map((line) => line.trim())
}
