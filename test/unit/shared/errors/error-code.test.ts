import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCode } from '../../../../shared/errors/error-code.ts'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'

test('the code of a system call’s error', () => {
  let thrown: unknown
  try {
    readFileSync('/nowhere')
  } catch (error) {
    thrown = error
  }
  expect(errorCode(thrown)).toBe('ENOENT')
})

test.each([
  undefined,
  null,
  'ENOENT',
  { code: 'ENOENT' },
  new Error('ENOENT'),
  Object.assign(new Error(), { code: 7 }),
])('what is no error, or has no code in words, has none: %o', (value) => {
  expect(errorCode(value)).toBeUndefined()
})

test.each([
  [{ cause: Object.assign(new Error('CANARY'), { code: 'ECONNREFUSED' }) }, 'policy: unreachable (ECONNREFUSED)'],
  [{ cause: Object.assign(new Error('CANARY'), { code: 'CANARY and more' }) }, 'policy: unreachable'],
  [{ status: 503 }, 'policy: unreachable (status 503)'],
  [{}, 'policy: unreachable'],
])('Unavailable shows a code or a status, and nothing that a driver said: %#', (options, message) => {
  expect(new Unavailable('policy', 'unreachable', options).message).toBe(message)
})
