import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const document = new URL('../../../docs/security.md', import.meta.url)
const claims = Array.from(
  readFileSync(document, 'utf8').matchAll(/\]\((\.\.\/test\/[^)]+)\)\s+"([^"]+)"/g),
  ([, path = '', title = '']) => [path, title] as const,
)

test('the security review names tests', () => {
  expect(claims.length).toBeGreaterThan(20)
})

test.each(claims)('%s has the test “%s”', (path, title) => {
  const source = readFileSync(new URL(path, document), 'utf8')
  expect(source.replaceAll("\\'", "'")).toContain(title)
})
