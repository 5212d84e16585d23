import { z } from 'zod'
import type { Secret } from '../shared/crypto/secret.ts'
import { authoritySettings, certificateProblem } from '../shared/errors/certificates.ts'
import { Unavailable } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { OpenBaoAddress } from '../shared/transit/http.ts'
import { OpenBaoHttp } from '../shared/transit/http.ts'
import { printable } from './printable.ts'

const refusal = z.object({ errors: z.array(z.string()) })
const listing = z.object({ data: z.object({ keys: z.array(z.string()) }) })
/** Of what the server says to a refusal: it is told to an administrator, and bounded. */
const saidCharacters = 300

/**
 * OpenBao with an administrator's token. What is read and is not there is `undefined`; every refusal, and every answer that
 * is not of its schema, is a UserError.
 */
export class OpenBaoAdmin {
  readonly #http: OpenBaoHttp
  readonly #address: string
  readonly #token: Secret

  constructor(address: OpenBaoAddress, token: Secret) {
    this.#http = new OpenBaoHttp(address)
    this.#address = address.address
    this.#token = token
  }

  read(path: string): Promise<unknown>
  read<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined>
  async read(path: string, schema: z.ZodType = z.unknown()): Promise<unknown> {
    const { status, body } = await this.#call('GET', path)
    return status === 404 ? undefined : this.#parsed('GET', path, schema, body)
  }

  write(path: string, content: object): Promise<unknown>
  write<T>(path: string, content: object, schema: z.ZodType<T>): Promise<T>
  async write(path: string, content: object, schema: z.ZodType = z.unknown()): Promise<unknown> {
    const { status, body } = await this.#call('POST', path, content)
    if (status === 404) throw refused('POST', path, status, body)
    return this.#parsed('POST', path, schema, body)
  }

  /** That it is gone already is no error. */
  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path)
  }

  /** The names under a path; OpenBao answers 404 where there are none. */
  async list(path: string): Promise<string[]> {
    return (await this.read(`${path}?list=true`, listing))?.data.keys ?? []
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  #parsed<T>(method: string, path: string, schema: z.ZodType<T>, body: unknown): T {
    const parsed = schema.safeParse(body)
    if (parsed.success) return parsed.data
    throw new UserError(
      `OpenBao at ${this.#address} answered ${method} ${path} with something unexpected: is it an OpenBao 2?`,
    )
  }

  async #call(method: 'GET' | 'POST' | 'DELETE', path: string, content?: object) {
    const answer = await this.#http.request(method, path, this.#token, content).catch((error: unknown) => {
      const { reason, code } = error instanceof Unavailable ? error : { reason: 'no answer', code: undefined }
      const problem = certificateProblem(code, authoritySettings.transit)
      if (problem !== undefined) throw new UserError(`OpenBao at ${this.#address} ${problem}`)
      throw new UserError(`OpenBao at ${this.#address} cannot be used: ${reason}. Is it running and unsealed?`)
    })
    const { status, body } = answer
    if (status === 403)
      throw new UserError(`OpenBao refused ${method} ${path}: the token in BAO_TOKEN is dead, or may not do this.`)
    if (status >= 300 && status !== 404) throw refused(method, path, status, body)
    return answer
  }
}

function refused(method: string, path: string, status: number, body: unknown): UserError {
  const said = refusal.safeParse(body).data?.errors.join('; ') || 'it does not say why'
  return new UserError(`OpenBao refused ${method} ${path} (${status}): ${printable(said, saidCharacters)}`)
}
