import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { allServices } from '../../../stack/services/index.ts'
import { placeOf, readRecord } from '../../../stack/state.ts'
import type { TestVault } from '../../harness/vault.ts'
import { formsOf, searchFiles } from './search.ts'

/** Every file that the three servers keep: in the stack's directory, and in containers where they run in some. */
export async function searchServers(
  text: string,
  { stack }: TestVault,
  scratch: string,
): Promise<{ found: string[]; bytes: number }> {
  const own = await searchFiles(formsOf(text), stack.directory)
  const copies = join(scratch, 'containers')
  await mkdir(copies)
  try {
    for (const service of allServices) {
      const record = readRecord(placeOf(stack.directory, service.name))
      if (record?.run?.source !== 'docker') continue
      const data = `${record.run.container}:${service.container(record).mount}`
      await promisify(execFile)('docker', ['cp', data, join(copies, service.name)])
    }
    const copied = await searchFiles(formsOf(text), copies)
    return { found: [...own.found, ...copied.found], bytes: own.bytes + copied.bytes }
  } finally {
    await rm(copies, { recursive: true })
  }
}

/** Puts a text, in every form, where a value must not be: what finds it there would have found a value. */
export async function plant(text: string, { redis, postgres, bao, prefix }: TestVault): Promise<void> {
  const forms = Buffer.concat([...formsOf(text).values()])
  await redis.set(`${prefix}:planted`, forms)
  await redis.xadd(`${prefix}:planted-events`, '*', 'value', text)
  await postgres.query('create table vault.planted (forms bytea)')
  await postgres.query('alter table vault.planted alter column forms set storage external')
  await postgres.query('insert into vault.planted values ($1)', [forms])
  await bao.read(`transit/keys/${encodeURIComponent(text)}`) // its audit device keeps paths as they are
}
