import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeActorCredentials } from '../../provision/index.ts'
import type { TestActor, TestVault } from '../../test/harness/vault.ts'

/** A directory that goes with the vault. */
export async function temporaryDirectory(vault: TestVault): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pii-vault-bench-'))
  vault.onClose(() => rm(directory, { recursive: true, force: true }))
  return directory
}

/** The environment of a producer in a process of its own: the client library, or the command line. */
export async function producerEnvironment(
  { stack, prefix }: TestVault,
  { name, roleId, secretId, queueUrl }: TestActor,
  directory: string,
): Promise<Record<string, string>> {
  const credentials = join(directory, `${name}.json`)
  await writeActorCredentials(credentials, name, { roleId, secretId: secretId.reveal() }, queueUrl)
  return {
    QUEUE_PREFIX: prefix,
    TRANSIT_ADDR: stack.transitAddr,
    ACTOR_CREDENTIALS_FILE: credentials,
  }
}
