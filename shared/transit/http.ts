import { readFileSync } from 'node:fs'
import type { Dispatcher } from 'undici'
import { Pool } from 'undici'
import type { Secret } from '../crypto/secret.ts'
import { Unavailable } from '../errors/server-errors.ts'

export interface OpenBaoAddress {
  readonly address: string
  readonly namespace?: string | undefined
  /** PEM file of the authority that signed the server's certificate, where the system does not know it. */
  readonly caFile?: string | undefined
}

export interface Answer {
  readonly status: number
  /** Parsed JSON; undefined for an empty body (204). */
  readonly body: unknown
}

const answerBytes = 32 * 1024 * 1024
const connections = 64
/** For the first byte of an answer, and between any two parts of it. */
const silenceMs = 10_000
/** For all of it: an answer that trickles must not hold its caller for ever. */
const wholeAnswerMs = 30_000

/**
 * OpenBao over HTTP: one JSON question, one JSON answer, whatever its status. Nothing is retried here, and redirects
 * are not followed: a token must not travel to an address that an answer names.
 */
export class OpenBaoHttp {
  readonly #pool: Pool
  readonly #namespace: string | undefined

  constructor({ address, namespace, caFile }: OpenBaoAddress, timeoutMs = silenceMs) {
    this.#namespace = namespace
    this.#pool = new Pool(address, {
      connections,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      maxResponseSize: answerBytes,
      connect: { timeout: 3_000, ...(caFile === undefined ? {} : { ca: readFileSync(caFile, 'utf8') }) },
    })
  }

  /** Throws Unavailable where there is no whole answer: unreachable, timed out, cut off, not JSON, redirected. */
  async request(method: Dispatcher.HttpMethod, path: string, token?: Secret, content?: unknown): Promise<Answer> {
    let status: number
    let text: string
    try {
      const answer = await this.#pool.request({
        method,
        path: `/v1/${path}`,
        headers: {
          'content-type': 'application/json',
          'x-vault-request': 'true',
          ...(token === undefined ? {} : { 'x-vault-token': token.reveal() }),
          ...(this.#namespace === undefined ? {} : { 'x-vault-namespace': this.#namespace }),
        },
        body: content === undefined ? null : JSON.stringify(content),
        signal: AbortSignal.timeout(wholeAnswerMs),
      })
      status = answer.statusCode
      text = await answer.body.text()
      if (status === 429 || status === 503) throw overloaded(status, answer.headers['retry-after'])
    } catch (error) {
      throw error instanceof Unavailable ? error : new Unavailable('transit', networkReason(error), { cause: error })
    }
    if (status >= 300 && status < 400) throw new Unavailable('transit', 'redirect')
    return { status, body: parse(text) }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new Unavailable('transit', 'incomplete answer')
  }
}

function networkReason(error: unknown): 'timeout' | 'incomplete answer' | 'unreachable' {
  const name = error instanceof Error ? error.name : ''
  if (name.endsWith('TimeoutError')) return 'timeout'
  return name === 'ResponseExceededMaxSizeError' ? 'incomplete answer' : 'unreachable'
}

function overloaded(status: number, retryAfter: string | string[] | undefined): Unavailable {
  // Seconds; the header's other form, a date, is not worth a second clock.
  const wait = /^[0-9]{1,9}$/.test(String(retryAfter)) ? { retryAfterMs: Math.min(Number(retryAfter), 60) * 1_000 } : {}
  return new Unavailable('transit', status === 429 ? 'throttled' : 'sealed or standby', wait)
}
