import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contractDirectory } from '../../shared/contract/schema/documents.ts'
import { runProgram } from '../../stack/programs.ts'
import { vectorsDirectory } from '../unit/shared/contract/vectors.ts'
import type { Python } from './python.ts'
import { findPython, script } from './python.ts'
import { typescriptVectors } from './typescript-vectors.ts'

const python = await findPython()
const skipped = 'missing' in python ? ` (skipped: ${python.missing})` : ''
const pythonTest = test.skipIf('missing' in python)

const run = (name: string, ...directories: string[]): Promise<{ stdout: string }> => {
  const { program, env } = python as Python
  return runProgram(program, [script(name), ...directories], { env })
}

pythonTest(`the vectors are what the Python implementation makes${skipped}`, async () => {
  const directory = await scratch()
  await run('make_vectors.py', directory)
  expect(await contentsOf(directory)).toEqual(await contentsOf(vectorsDirectory))
})

pythonTest(`the Python implementation judges each vector as it says${skipped}`, async () => {
  expect((await run('check_vectors.py', vectorsDirectory)).stdout).toMatch(/^\d+ vectors, 0 wrong\n$/)
})

pythonTest(`what TypeScript sealed opens in Python, and what it altered does not${skipped}`, async () => {
  const directory = await scratch()
  const vectors = Object.entries(typescriptVectors())
  for (const [name, vector] of vectors) await writeFile(join(directory, `${name}.json`), JSON.stringify(vector))
  expect((await run('check_vectors.py', directory)).stdout).toBe(`${vectors.length} vectors, 0 wrong\n`)
})

pythonTest(
  `the JSON Schemas, read by another language's regular expressions, say the same as the vectors${skipped}`,
  async () => {
    const { stdout } = await run('check_schemas.py', join(contractDirectory, 'schemas'), vectorsDirectory)
    expect(stdout).toMatch(/^\d+ compared, 0 wrong\n$/)
  },
)

async function scratch(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pii-vault-vectors-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  return directory
}

async function contentsOf(directory: string): Promise<Record<string, string>> {
  const contents: Record<string, string> = {}
  for (const name of (await readdir(directory, { recursive: true })).sort()) {
    if (name.endsWith('.json')) contents[name] = await readFile(join(directory, name), 'utf8')
  }
  return contents
}
