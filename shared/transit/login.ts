import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { Secret } from '../crypto/secret.ts'
import { ShuttingDown, Unavailable } from '../errors/server-errors.ts'
import { exitCodes, UserError } from '../errors/user-error.ts'
import type { OpenBaoHttp } from './http.ts'

export interface AppRole {
  readonly roleId: string
  /** Read at each login, so that a rotated secret id is picked up. */
  readonly secretId: () => Promise<Secret>
}

export function secretIdFromFile(path: string): () => Promise<Secret> {
  return async () => {
    try {
      return new Secret((await readFile(path, 'utf8')).trim())
    } catch {
      throw new UserError(`The secret id file ${path} cannot be read.`, exitCodes.usage)
    }
  }
}

const auth = z.object({
  auth: z.object({ client_token: z.string().min(1), lease_duration: z.number() }),
})

/** Five bad tries lock a role for everyone, so it is left at two. */
const tries = 2

/** Node's timers cannot wait longer than 24 days: a longer one would fire at once, again and again. */
const longestTimerMs = 86_400_000

/**
 * The process's OpenBao token: logged in by AppRole, renewed at two thirds of its lease, and got anew when it died.
 * However many callers find it dead, there is one login.
 */
export class Login {
  readonly #http: OpenBaoHttp
  readonly #role: AppRole
  #token: Secret | undefined
  #loggingIn: Promise<Secret> | undefined
  #renewal: NodeJS.Timeout | undefined
  #refusals = 0
  #closed = false

  constructor(http: OpenBaoHttp, role: AppRole) {
    this.#http = http
    this.#role = role
  }

  /** Throws Unavailable, or UserError (exit code 3) where the credentials are refused twice. */
  async token(): Promise<Secret> {
    return this.#token ?? (await this.#logIn())
  }

  /**
   * To be called after a 403. Dead token: logs in, and `true` says try again. Live token: `false`, a policy refuses.
   * A policy refusal and a dead token can have the same text, so only the token itself can tell.
   */
  async replaceIfDead(refused: Secret): Promise<boolean> {
    if (this.#token !== refused) return true // another caller has replaced it meanwhile
    const { status } = await this.#http.request('GET', 'auth/token/lookup-self', refused)
    if (status === 200) return false
    if (status !== 403) throw new Unavailable('transit', 'unexpected answer')
    if (this.#token === refused) this.#token = undefined
    await this.token()
    return true
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#loggingIn?.catch(() => undefined)
    clearTimeout(this.#renewal)
    const token = this.#token
    this.#token = undefined
    // Best effort: a token that is not revoked dies by its lease.
    if (token !== undefined) await this.#http.request('POST', 'auth/token/revoke-self', token).catch(() => undefined)
  }

  #logIn(): Promise<Secret> {
    if (this.#closed) return Promise.reject(new ShuttingDown())
    this.#loggingIn ??= this.#askForToken().finally(() => {
      this.#loggingIn = undefined
    })
    return this.#loggingIn
  }

  async #askForToken(): Promise<Secret> {
    if (this.#refusals >= tries) throw this.#refused()
    const credentials = { role_id: this.#role.roleId, secret_id: (await this.#role.secretId()).reveal() }
    const { status, body } = await this.#http.request('POST', 'auth/approle/login', undefined, credentials)
    if (status === 400 || status === 403) {
      this.#refusals++
      if (this.#refusals >= tries) throw this.#refused()
      return this.#askForToken()
    }
    return this.#accept(status, body)
  }

  #accept(status: number, body: unknown): Secret {
    const answer = auth.safeParse(body)
    if (status !== 200 || !answer.success)
      throw new Unavailable('transit', status >= 500 ? 'server error' : 'unexpected answer')
    this.#refusals = 0
    const { client_token, lease_duration } = answer.data.auth
    const token = this.#token?.reveal() === client_token ? this.#token : new Secret(client_token)
    this.#token = token
    if (!this.#closed) this.#renewLater(token, lease_duration)
    return token
  }

  /** A renewal may grant less than asked, so each answer's own lease sets the next one. */
  #renewLater(token: Secret, leaseSeconds: number): void {
    clearTimeout(this.#renewal)
    if (leaseSeconds <= 0) return // never expires
    const waitMs = Math.min((leaseSeconds * 2_000) / 3, longestTimerMs)
    this.#renewal = setTimeout(() => void this.#renew(token, leaseSeconds), waitMs).unref()
  }

  async #renew(token: Secret, leaseBefore: number): Promise<void> {
    try {
      const { status, body } = await this.#http.request('POST', 'auth/token/renew-self', token, {})
      if (this.#token !== token) return // found dead and replaced, or given back, meanwhile
      const granted = status === 200 ? auth.safeParse(body).data?.auth.lease_duration : undefined
      // Near `token_max_ttl` a renewal grants next to nothing: time for a new token, before the old one ends.
      if (granted !== undefined && granted > leaseBefore / 2) this.#accept(status, body)
      else await this.#logIn()
    } catch {
      // The token may live on; if not, the next 403 leads to a login.
    }
  }

  #refused(): UserError {
    return new UserError(
      'OpenBao refused the AppRole credentials twice. Check TRANSIT_ROLE_ID and the secret id file: a wrong, used-up or ' +
        'expired secret id, or a role locked by earlier tries (then wait 15 minutes). Nothing more is tried, since each ' +
        'bad try helps to lock the role.',
      exitCodes.credentials,
    )
  }
}
