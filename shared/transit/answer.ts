import { z } from 'zod'
import { wrappedKey } from '../contract/grammar.ts'
import { Unavailable } from '../errors/server-errors.ts'

/** How one item of a batch ended. Everything but `ok` is OpenBao's word on this item alone. */
export type ItemResult<T> = { readonly ok: T } | { readonly error: ItemError }

/**
 * `rejected`: not made by this key, or altered. `retired`: below `min_decryption_version`. `too new`: of a version that this
 * node does not know, or not yet. `failed`: worth retrying.
 */
export type ItemError = 'rejected' | 'retired' | 'too new' | 'failed'

const results = z.object({
  data: z.object({
    batch_results: z.array(
      z.object({
        error: z.string().optional(),
        plaintext: z.string().optional(),
        ciphertext: z.string().optional(),
        reference: z.string().optional(),
      }),
    ),
  }),
})

/**
 * The items of a batch answer, in the order sent; undefined if the answer is a refusal of the request as a whole.
 * Read from the body and never from the status: 400 and 500 may carry items that succeeded, and a 200 items that failed.
 * `reference` must come back as sent, else an item's key could be taken for another's.
 */
export function parseBatch(
  body: unknown,
  member: 'plaintext' | 'ciphertext',
  length: number,
): ItemResult<string>[] | undefined {
  const answer = results.safeParse(body)
  if (!answer.success) return undefined
  const items = answer.data.data.batch_results
  if (items.length !== length) throw new Unavailable('transit', 'unexpected answer')
  return items.map((item, index) => {
    if (item.reference !== String(index)) throw new Unavailable('transit', 'unexpected answer')
    // `error` before the value: a failed item also has `plaintext: ""`, which is a legal plaintext.
    if (item.error !== undefined && item.error !== '') return { error: classify(item.error) }
    const value = item[member]
    if (value === undefined || (member === 'ciphertext' && !wrappedKey.safeParse(value).success)) {
      throw new Unavailable('transit', 'unexpected answer')
    }
    return { ok: value }
  })
}

/** From openbao `builtin/logical/transit` and `sdk/helper/keysutil/policy.go`. Unknown texts are worth retrying. */
function classify(text: string): ItemError {
  if (text.includes('disallowed by policy (too old)')) return 'retired'
  if (text.includes('version is too new')) return 'too new'
  return /invalid ciphertext|message authentication failed|missing ciphertext|could not be decoded|unable to decrypt|invalid IV|failed to base64/i.test(
    text,
  )
    ? 'rejected'
    : 'failed'
}

/** The version of the key that made a ciphertext: N of `vault:vN:…`. */
export const keyVersionOf = (ciphertext: string): number => Number(/^vault:v([0-9]+):/.exec(ciphertext)?.[1])
