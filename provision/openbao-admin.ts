import { z } from 'zod'
import type { Secret } from '../shared/crypto/secret.ts'
import { Unavailable } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { OpenBaoAddress } from '../shared/transit/http.ts'
import { OpenBaoHttp } from '../shared/transit/http.ts'

const refusal = z.object({ errors: z.array(z.string()) })

/** OpenBao with an administrator's token. Missing things are `undefined`; every other refusal is a UserError. */
export class OpenBaoAdmin {
  readonly #http: OpenBaoHttp
  readonly #address: string
  readonly #token: Secret

  constructor(address: OpenBaoAddress, token: Secret) {
    this.#http = new OpenBaoHttp(address)
    this.#address = address.address
    this.#token = token
  }

  read(path: string): Promise<unknown> {
    return this.#call('GET', path)
  }

  write(path: string, content: object): Promise<unknown> {
    return this.#call('POST', path, content)
  }

  async delete(path: string): Promise<void> {
    await this.#call('DELETE', path)
  }

  async list(path: string): Promise<string[]> {
    const answer = z
      .object({ data: z.object({ keys: z.array(z.string()) }) })
      .safeParse(await this.#call('GET', `${path}?list=true`))
    return answer.data?.data.keys ?? []
  }

  close(): Promise<void> {
    return this.#http.close()
  }

  async #call(method: 'GET' | 'POST' | 'DELETE', path: string, content?: object): Promise<unknown> {
    const { status, body } = await this.#http.request(method, path, this.#token, content).catch((error: unknown) => {
      const reason = error instanceof Unavailable ? error.reason : 'no answer'
      throw new UserError(`OpenBao at ${this.#address} cannot be used: ${reason}. Is it running and unsealed?`)
    })
    if (status === 404) return undefined
    if (status < 300) return body
    if (status === 403)
      throw new UserError(`OpenBao refused ${method} ${path}: the token in BAO_TOKEN is dead, or may not do this.`)
    const said = refusal.safeParse(body).data?.errors.join('; ') ?? ''
    throw new UserError(`OpenBao refused ${method} ${path} (${status}): ${said}`)
  }
}
