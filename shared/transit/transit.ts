import type { KeyObject } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { decodeBase64 } from '../contract/seal.ts'
import { aesKey } from '../crypto/aes-gcm.ts'
import { Secret } from '../crypto/secret.ts'
import { ContentRefused, Unavailable } from '../errors/server-errors.ts'
import type { ItemResult } from './answer.ts'
import { parseBatch } from './answer.ts'
import type { Answer, OpenBaoHttp } from './http.ts'
import type { Login } from './login.ts'

const dataKeyAnswer = z.object({ data: z.object({ plaintext: z.string(), ciphertext: z.string() }) })

/** Well formed, made by no key: whoever answers that this item is refused is unsealed, has the key, and lets us use it. */
const canary = `vault:v1:${Buffer.alloc(60).toString('base64')}`

/** The pauses before items that failed for the moment are asked for again. */
const retryAfterMs = [50, 200]

/**
 * OpenBao Transit. Items fail one by one (ItemResult); a call throws only where the answer speaks of no item:
 * Unavailable (no answer, sealed, throttled, our token refused), or ContentRefused (a healthy server refuses the batch).
 */
export class Transit {
  readonly #http: OpenBaoHttp
  readonly #login: Login
  #calls = 0

  constructor(http: OpenBaoHttp, login: Login) {
    this.#http = http
    this.#login = login
  }

  /** Calls made so far. */
  get calls(): number {
    return this.#calls
  }

  /** Unwraps keys, one call for all. Plaintexts that are no base64 count as refused. */
  async decrypt(key: string, ciphertexts: readonly string[]): Promise<ItemResult<Secret<Buffer>>[]> {
    const items = await this.#batch(
      'decrypt',
      key,
      ciphertexts.map((ciphertext) => ({ ciphertext })),
      'plaintext',
    )
    return items.map((item) => ('ok' in item ? secretBytes(item.ok) : item))
  }

  /** Wraps keys, one call for all: `vault:vN:…` each. */
  async encrypt(key: string, plaintexts: readonly Buffer[]): Promise<ItemResult<string>[]> {
    const items = plaintexts.map((plaintext) => ({ plaintext: plaintext.toString('base64') }))
    return this.#batch('encrypt', key, items, 'ciphertext')
  }

  /**
   * The session key behind its wrapped form, which is bound to its associated data. Undefined if it is none, `too new` if
   * this node does not know that version, or not yet: anyone can claim one, so it is not asked for twice.
   */
  async sessionKey(key: string, wrapped: string, associatedData: Buffer): Promise<KeyObject | undefined | 'too new'> {
    const item = { ciphertext: wrapped, associated_data: associatedData.toString('base64') }
    const [result] = await this.#once('decrypt', key, [item], 'plaintext')
    if (result === undefined) throw new Unavailable('transit', 'unexpected answer')
    if ('error' in result) {
      if (result.error === 'failed') throw new Unavailable('transit', 'server error')
      return result.error === 'too new' ? 'too new' : undefined
    }
    const bytes = decodeBase64(result.ok)
    const sessionKey = bytes?.length === 32 ? aesKey(bytes) : undefined
    bytes?.fill(0)
    return sessionKey
  }

  /** A new data key of 256 bits, plain and wrapped. */
  async dataKey(key: string, associatedData: Buffer): Promise<{ plaintext: Secret<Buffer>; wrapped: string }> {
    const content = { associated_data: associatedData.toString('base64'), bits: 256 }
    const answer = await this.#call(`transit/datakey/plaintext/${key}`, content)
    const parsed = dataKeyAnswer.safeParse(answer.body)
    if (!parsed.success) throw refusal(answer)
    const plaintext = decodeBase64(parsed.data.data.plaintext)
    if (plaintext?.length !== 32) throw new Unavailable('transit', 'unexpected answer')
    return { plaintext: new Secret(plaintext), wrapped: parsed.data.data.ciphertext }
  }

  /** Resolves if the key can be used now for this operation. */
  async probe(operation: 'decrypt' | 'encrypt', key: string): Promise<void> {
    if (operation === 'decrypt') await this.decrypt(key, [canary])
    else await this.encrypt(key, [Buffer.alloc(32)])
  }

  /** One call; items that failed for the moment, as right after a rotation, are asked for again, by themselves. */
  async #batch(
    operation: string,
    key: string,
    items: readonly object[],
    member: 'plaintext' | 'ciphertext',
  ): Promise<ItemResult<string>[]> {
    const results = await this.#once(operation, key, items, member)
    for (const waitMs of retryAfterMs) {
      const failed = [...results.keys()].filter((i) => isFailed(results[i]))
      if (failed.length === 0) break
      await delay(waitMs)
      const again = await this.#once(
        operation,
        key,
        failed.map((i) => items[i] as object),
        member,
      )
      failed.forEach((at, i) => {
        results[at] = again[i] as ItemResult<string>
      })
    }
    return results
  }

  async #once(
    operation: string,
    key: string,
    items: readonly object[],
    member: 'plaintext' | 'ciphertext',
  ): Promise<ItemResult<string>[]> {
    const batch_input = items.map((item, index) => ({ ...item, reference: String(index) }))
    const answer = await this.#call(`transit/${operation}/${key}`, { batch_input })
    const results = parseBatch(answer.body, member, items.length)
    if (results === undefined) throw refusal(answer)
    return results
  }

  /** A 403 may mean that our token died: then once more, with another. */
  async #call(path: string, content: unknown): Promise<Answer> {
    this.#calls++
    const token = await this.#login.token()
    const answer = await this.#http.request('POST', path, token, content)
    if (answer.status !== 403 || !(await this.#login.replaceIfDead(token))) return answer
    return this.#http.request('POST', path, await this.#login.token(), content)
  }
}

const isFailed = (result: ItemResult<string> | undefined): boolean =>
  result !== undefined && 'error' in result && (result.error === 'failed' || result.error === 'too new')

function refusal({ status }: Answer): Error {
  if (status === 400 || status === 413) return new ContentRefused('transit', status)
  if (status === 403) return new Unavailable('transit', 'refused our token')
  return new Unavailable('transit', status >= 500 ? 'server error' : 'unexpected answer')
}

function secretBytes(base64: string): ItemResult<Secret<Buffer>> {
  const bytes = decodeBase64(base64)
  return bytes === undefined ? { error: 'rejected' } : { ok: new Secret(bytes) }
}
