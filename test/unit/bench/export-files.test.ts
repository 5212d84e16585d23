import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { assertSame, repeatRows, writeCustomers } from '../../../bench/suites/export/files.ts'

let directory: string
const file = (name: string) => join(directory, name)

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pii-vault-bench-files-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

test('rows are repeated under one header', async () => {
  await writeFile(file('some'), 'a,b\n1,2\n3,4\n')
  await repeatRows(file('some'), file('many'), 3)
  expect(await readFile(file('many'), 'utf8')).toBe('a,b\n1,2\n3,4\n1,2\n3,4\n1,2\n3,4\n')
})

test('customers come with a header and so many rows', async () => {
  await writeCustomers(file('customers'), 50)
  const text = await readFile(file('customers'), 'utf8')
  expect(text.split('\n')[0]).toContain(',email,')
  // Cells hold line breaks, so rows are told by what they begin with.
  expect(text.match(/^cust-\d+,/gm)).toHaveLength(50)
})

test('files that differ in a byte are told apart', async () => {
  await writeFile(file('one'), 'same\n')
  await writeFile(file('copy'), 'same\n')
  await writeFile(file('other'), 'sane\n')
  await assertSame(file('one'), file('copy'))
  await expect(assertSame(file('one'), file('other'))).rejects.toThrow('does not hold')
})
