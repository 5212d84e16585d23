import { expect, test } from 'vitest'
import { detokReplyBody, hint, tokenizeReplyBody } from '../../../../shared/contract/reply.ts'
import { itemErrors, requestErrors } from '../../../../shared/errors/catalogue.ts'

const all = { ...itemErrors, ...requestErrors }

test('each code says what it means and whether asking again can help', () => {
  for (const [code, { retryable, message }] of [...Object.entries(itemErrors), ...Object.entries(requestErrors)]) {
    expect(code).toMatch(/^[a-z_]{1,32}$/)
    expect(message, code).toMatch(/^[A-Z].{10,}\.$/)
    expect(retryable, code).toBe(code === 'unavailable')
  }
})

test('a reply may carry each code of the catalogue where it belongs, and no other', () => {
  const codes = [...Object.keys(all), 'timeout', '', 'NOT_FOUND', 'toString', '__proto__']
  for (const body of [detokReplyBody, tokenizeReplyBody]) {
    const item = codes.filter((error) => body.safeParse({ items: [{ error }] }).success)
    const request = codes.filter((error) => body.safeParse({ error }).success)
    expect(item.sort()).toEqual(Object.keys(itemErrors).sort())
    expect(request.sort()).toEqual(Object.keys(requestErrors).sort())
  }
  expect(codes.filter((code) => hint.safeParse({ code }).success).sort()).toEqual(Object.keys(requestErrors).sort())
})
