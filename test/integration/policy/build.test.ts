import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readBundleFiles } from '../../../shared/policy/files.ts'
import { committed, describeWithOpa, entrypoints, opa, source } from './opa.ts'

describeWithOpa('the committed bundle', () => {
  test('is what build.ts makes of the source', async () => {
    await promisify(execFile)(process.execPath, [join(source, 'build.ts'), '--check'])
  })

  test('is the same when it is built elsewhere', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'policy-elsewhere-'))
    try {
      await cp(source, elsewhere, { recursive: true })
      const built = join(elsewhere, 'built.tar.gz')
      await opa(elsewhere, 'build', '-t', 'wasm', ...entrypoints, '-r', '1', '-o', built, 'vault.rego', 'data.json')
      const wasm = (await readBundleFiles(built)).get('policy.wasm')
      expect(wasm?.equals((await readBundleFiles(committed)).get('policy.wasm') ?? Buffer.alloc(0))).toBe(true)
    } finally {
      await rm(elsewhere, { recursive: true })
    }
  })

  test('is of a policy whose own tests pass and cover it', async () => {
    await opa(source, 'test', '--threshold', '100', '--ignore', 'bundle', '.')
  })
})
