import { errorCode } from './error-code.ts'

/** The servers that a worker needs. */
export type DependencyName = 'postgres' | 'transit' | 'policy' | 'redis'

/** What kept a server from answering. Fixed words: a driver's or server's own text may quote what it was sent. */
export type UnavailableReason =
  | 'unreachable'
  | 'timeout'
  | 'too slow'
  | 'sealed or standby'
  | 'server error'
  | 'throttled'
  | 'redirect'
  | 'incomplete answer'
  | 'unexpected answer'
  | 'refused our token'
  | 'refused our credentials'
  | 'read-only'
  | 'connection lost'
  | 'out of resources'
  | 'not accepted'
  | 'not set up'

/** A server did not answer, or answered that it cannot now. Whether it is down is for its probe to tell. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
  readonly dependency: DependencyName
  readonly reason: UnavailableReason
  /** From `Retry-After`, where a server sent one. */
  readonly retryAfterMs: number | undefined
  /** Of a system call, of TLS, or SQLSTATE. */
  readonly code: string | undefined

  constructor(
    dependency: DependencyName,
    reason: UnavailableReason,
    options: { cause?: unknown; status?: number; retryAfterMs?: number } = {},
  ) {
    super(`${dependency}: ${reason}${detail(options)}`)
    this.dependency = dependency
    this.reason = reason
    this.retryAfterMs = options.retryAfterMs
    this.code = errorCode(options.cause)
  }
}

/** A server refused what it was sent: some item of the batch is poisonous, and sending it again changes nothing. */
export class ContentRefused extends Error {
  override readonly name: string = 'ContentRefused'
  readonly dependency: DependencyName

  constructor(dependency: DependencyName, status: string | number, what = 'refused') {
    super(`${dependency} ${what} the content (${status})`)
    this.dependency = dependency
  }
}

/** A server failed at the same content again and again, while its probe was well: the content may be to blame, or not. */
export class ContentSuspected extends ContentRefused {
  override readonly name = 'ContentSuspected'

  constructor(dependency: DependencyName, reason: UnavailableReason) {
    super(dependency, reason, 'keeps failing at')
  }
}

/** The process is leaving: work in hand goes back to the queue. */
export class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown'

  constructor() {
    super('shutting down')
  }
}

/** A status, and a system call's or SQLSTATE code, are safe to show: they have a fixed form and quote nothing. */
function detail({ cause, status }: { cause?: unknown; status?: number }): string {
  if (status !== undefined) return ` (status ${status})`
  const code = errorCode(cause) ?? ''
  return /^[A-Z0-9_]{2,64}$/.test(code) ? ` (${code})` : ''
}
