import type { LoggerOptions, Logger as PinoLogger } from 'pino'
import { pino } from 'pino'
import { errorCode } from '../errors/error-code.ts'
import { ContentRefused, ShuttingDown, Unavailable } from '../errors/server-errors.ts'
import { UserError } from '../errors/user-error.ts'

/** Structured logs, one JSON object a line, on standard error: standard output belongs to a command's result. */
export type Logger = PinoLogger

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export function createLogger(
  level: LogLevel,
  name: string,
  destination: { write(line: string): void } = pino.destination({ dest: 2, sync: true }),
): Logger {
  return pino({ name, level, ...errorsDescribed }, destination)
}

/** How errors are logged: described, and never as the message, which is what pino makes of them where none is given. */
const errorsDescribed: LoggerOptions = {
  serializers: { err: describeError },
  hooks: {
    logMethod(args, method) {
      const fields: unknown = args[0]
      if (args.length === 1 && typeof fields === 'object') method.apply(this, [fields, ''])
      else method.apply(this, args)
    },
  },
}

/**
 * An error as it may be logged. Our own errors have fixed words. Of all others only name and code are kept: drivers and
 * parsers quote their input, and that can be a value.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error }
  const code = errorCode(error) ?? ''
  const known = ownErrors.some((own) => error instanceof own)
  return {
    type: /^\w{1,64}$/.test(error.name) ? error.name : 'Error',
    ...(/^[A-Z0-9_]{2,64}$/.test(code) ? { code } : {}),
    ...(known ? { message: error.message } : { at: frames(error) }),
  }
}

const ownErrors = [UserError, Unavailable, ContentRefused, ShuttingDown]

/** Where it was thrown: the stack's frames, without what stands before them and repeats the message, of many lines perhaps. */
function frames({ stack = '', message }: Error): string[] {
  const start = stack.indexOf(message)
  const lines = start === -1 ? [] : stack.slice(start + message.length).split('\n')
  const places = lines.filter((line) => /^ +at .*:\d+:\d+\)?$/.test(line))
  return places.slice(0, 4).map((line) => line.trim())
}
