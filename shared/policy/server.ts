import { Agent } from 'undici'
import type { UnavailableReason } from '../errors/server-errors.ts'
import { Unavailable } from '../errors/server-errors.ts'
import { exitCodes, UserError } from '../errors/user-error.ts'
import { denials, denyAll, parseDecisions, parseTenant } from './decision.ts'
import { parseServerAddress, serverAddressForm } from './location.ts'
import type { Policy } from './policy.ts'
import { canary } from './policy.ts'

export interface ServerOptions {
  readonly location: string
  readonly timeoutMs: number
}

const maxAnswerBytes = 4 * 1024 * 1024
const revisionText = /^[A-Za-z0-9._+:/-]{1,128}$/

/** An OPA server's answer: its document, or that its evaluation failed (as WebAssembly traps). */
type Answer = { readonly result: unknown; readonly provenance: unknown } | 'failed'

/** Asks an OPA server. It answers as the bundle it serves says; loading and verifying that is its own work. */
export function openServerPolicy({ location, timeoutMs }: ServerOptions): Policy {
  const base = parseServerAddress(location)
  if (base === undefined) throw new UserError(`POLICY must be ${serverAddressForm}.`, exitCodes.usage)
  const { origin, pathname } = base
  const agent = new Agent({
    connections: 32,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: maxAnswerBytes,
  })
  let closing: Promise<void> | undefined

  async function ask(path: string, input: object): Promise<Answer> {
    let status: number
    let body: unknown
    try {
      // undici follows no redirects unless it is told to: a redirect is an answer that is not 200.
      const response = await agent.request({
        origin,
        path: `${pathname}v1/data/vault/${path}?provenance=true`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ input }),
        signal: AbortSignal.timeout(timeoutMs),
      })
      status = response.statusCode
      body = parseBody(await response.body.text())
    } catch (error) {
      throw new Unavailable('policy', reasonOf(error), { cause: error })
    }
    if (status === 500 && isEvaluationError(body)) return 'failed'
    if (status !== 200) throw new Unavailable('policy', reasonOfStatus(status), { status })
    return { result: memberOf(body, 'result'), provenance: memberOf(body, 'provenance') }
  }

  return {
    tenantOf: async (actor) => {
      const answer = await ask('tenant', { actor })
      return answer === 'failed' ? undefined : parseTenant(answer.result)
    },
    decide: async (questions) => {
      const answer = await ask('decisions', { questions })
      if (answer === 'failed') return { revision: 'unknown', decisions: denyAll(denials.failed, questions.length) }
      return { revision: revisionOf(answer.provenance), decisions: parseDecisions(answer.result, questions.length) }
    },
    probe: async () => {
      await ask('decisions', { questions: [canary] })
    },
    close: () => {
      closing ??= agent.close()
      return closing
    },
  }
}

/** Not `timeout`, for which no content is ever to blame: a question may be what makes the policy slow. */
function reasonOf(error: unknown): UnavailableReason {
  const name = error instanceof Error ? error.name : ''
  if (name === 'ConnectTimeoutError') return 'unreachable'
  if (name.endsWith('TimeoutError')) return 'too slow'
  return name === 'ResponseExceededMaxSizeError' ? 'incomplete answer' : 'unreachable'
}

function reasonOfStatus(status: number): UnavailableReason {
  if (status >= 500) return 'server error'
  if (status === 429) return 'throttled'
  return status >= 300 && status < 400 ? 'redirect' : 'unexpected answer'
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // A 200 with no JSON is no decision, so it denies; of other answers only the status counts.
    return undefined
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** `eval_conflict_error` and its like: these questions met a fault of the policy, and would again. */
function isEvaluationError(body: unknown): boolean {
  const errors = memberOf(body, 'errors')
  return (
    Array.isArray(errors) &&
    errors.some((error) => {
      const code = memberOf(error, 'code')
      return typeof code === 'string' && code.startsWith('eval_') && code !== 'eval_cancel_error'
    })
  )
}

/** The revision of the bundle the server decided with; of several, all of them; `unknown` if it serves bare files. */
function revisionOf(provenance: unknown): string {
  const bundles = memberOf(provenance, 'bundles')
  if (typeof bundles !== 'object' || bundles === null) return 'unknown'
  const revisions = Object.entries(bundles)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, bundle]) => memberOf(bundle, 'revision') || 'unknown')
    .join(':')
  return revisionText.test(revisions) ? revisions : 'unknown'
}
