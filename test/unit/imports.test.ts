import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** What each part may import from, besides itself: docs/architecture.md, "What may import what". */
const borders: Record<string, string[]> = {
  shared: [],
  producers: ['shared'],
  workers: ['shared'],
  provision: ['shared'],
  stack: ['shared'],
  policy: ['shared/policy', 'shared/errors'],
  cli: ['shared', 'producers', 'workers', 'provision', 'stack'],
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const within = (path: string, part: string) => path.startsWith(`${part}/`)

function filesOf(part: string): string[] {
  const names = readdirSync(join(root, part), { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${part}/${name}`)
}

/** Files of ours that a file imports, exports from, or names for a worker or a later import. */
function importsOf(file: string): string[] {
  const named = readFileSync(join(root, file), 'utf8').matchAll(/['"](\.\.?\/[^'"\n]+\.ts)['"]/g)
  return Array.from(named, ([, path = '']) => normalize(join(dirname(file), path)))
}

test.each(Object.entries(borders))('%s imports nothing beyond its borders', (part, others) => {
  const files = filesOf(part)
  const imports = files.flatMap((file) => importsOf(file).map((path) => ({ file, path })))
  expect(imports.length, 'imports were found').toBeGreaterThan(0)
  expect(imports.filter(({ path }) => ![part, ...others].some((allowed) => within(path, allowed)))).toEqual([])
})

test('every folder of product files has its borders', () => {
  const folders = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const product = folders
    .map(({ name }) => name)
    .filter((name) => !/^\.|^(node_modules|docs|test|samples|bench)$/.test(name))
  expect(product.filter((name) => filesOf(name).length > 0).sort()).toEqual(Object.keys(borders).sort())
})
