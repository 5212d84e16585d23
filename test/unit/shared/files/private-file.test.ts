import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { UserError } from '../../../../shared/errors/user-error.ts'
import { PrivateFile, writePrivate } from '../../../../shared/files/private-file.ts'

let directory: string
const at = (name: string) => join(directory, name)
const modeOf = (name: string) => statSync(at(name)).mode & 0o777

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'private-'))
})
afterEach(() => {
  expect(readdirSync(directory).filter((name) => name.endsWith('.partial'))).toEqual([])
  rmSync(directory, { recursive: true })
})

test('is for its owner alone from its first moment on, and there only when it is whole', async () => {
  const file = await PrivateFile.create(at('a'))
  const [temporary = ''] = readdirSync(directory)
  expect(temporary).toMatch(/^a\.[0-9a-f]{8}\.partial$/)
  expect(modeOf(temporary)).toBe(0o600)
  await file.write(Buffer.from('one '))
  await file.write(Buffer.from('two'))
  expect(await file.sync()).toBe(7)
  expect(readdirSync(directory)).toEqual([temporary])
  await file.commit()
  await file.discard()
  expect(readdirSync(directory)).toEqual(['a'])
  expect([modeOf('a'), readFileSync(at('a'), 'utf8')]).toEqual([0o600, 'one two'])
})

test('takes the place of a file that others could read', async () => {
  writeFileSync(at('a'), 'before')
  chmodSync(at('a'), 0o644)
  await writePrivate(at('a'), 'after')
  expect([modeOf('a'), readFileSync(at('a'), 'utf8')]).toEqual([0o600, 'after'])
})

test('goes where a symbolic link leads', async () => {
  writeFileSync(at('behind'), 'before')
  symlinkSync('behind', at('link'))
  await writePrivate(at('link'), 'after')
  expect(readFileSync(at('behind'), 'utf8')).toBe('after')
  expect(readdirSync(directory)).toEqual(['behind', 'link'])
})

test('what is discarded leaves what was there before', async () => {
  writeFileSync(at('a'), 'before')
  const file = await PrivateFile.create(at('a'))
  await file.write(Buffer.from('after'))
  await file.discard()
  expect(readdirSync(directory)).toEqual(['a'])
  expect(readFileSync(at('a'), 'utf8')).toBe('before')
})

test('what is kept goes on after the bytes that counted, and no others', async () => {
  const first = await PrivateFile.resume(at('a'), 0)
  await first?.write(Buffer.from('done, half do'))
  await first?.discard('keep')
  expect(await PrivateFile.resume(at('a'), 14), 'less is there than it should be').toBeUndefined()
  const second = await PrivateFile.resume(at('a'), 6)
  await second?.write(Buffer.from('more'))
  await second?.commit()
  expect(readFileSync(at('a'), 'utf8')).toBe('done, more')
})

test.each([
  ['no/a', 'its directory does not exist'],
  ['file/a', 'its directory is none'],
  ['.', 'is a directory: name a file in it'],
  ['null', 'is no regular file'],
])('what cannot be written says why: %s', async (name, reason) => {
  writeFileSync(at('file'), '')
  symlinkSync('/dev/null', at('null'))
  const error: unknown = await writePrivate(at(name), 'secret').catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UserError)
  expect(String(error)).toContain(reason)
  expect(String(error)).toContain(at(name))
  expect(statSync('/dev/null').isFile()).toBe(false)
})
