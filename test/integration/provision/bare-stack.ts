import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpenBaoAdmin, provision } from '../../../provision/index.ts'
import type { Secret } from '../../../shared/crypto/secret.ts'
import type { Stack } from '../../../stack/index.ts'
import { startStack } from '../../../stack/index.ts'
import { reapWithThisProcess } from '../../harness/reap.ts'

/** Servers that know nothing of us yet. */
export interface BareStack {
  readonly stack: Stack
  readonly stackDirectory: string
  readonly bao: OpenBaoAdmin
  /** Where `setUp` puts the credentials of the pools. */
  readonly credentials: string
  /** What it said, line by line. */
  setUp(
    change?: Partial<{ databaseUrl: string; queueUrl: string; address: string; token: Secret; renew: boolean }>,
  ): Promise<string[]>
  stop(): Promise<void>
}

export async function startBareStack(): Promise<BareStack> {
  const directory = await mkdtemp(join(tmpdir(), 'pii-vault-setup-'))
  const stackDirectory = join(directory, 'stack')
  const credentials = join(directory, 'credentials')
  const wipe = await reapWithThisProcess(directory)
  const stack = await startStack({ directory: stackDirectory }).catch(async (error: unknown) => {
    await wipe()
    throw error
  })
  const bao = new OpenBaoAdmin({ address: stack.addresses.transitAddr }, stack.transitRootToken)
  return {
    ...{ stack, stackDirectory, bao, credentials },
    setUp: async ({
      databaseUrl = stack.addresses.databaseUrl,
      address = stack.addresses.transitAddr,
      token = stack.transitRootToken,
      queueUrl = stack.addresses.queueUrl,
      renew = false,
    } = {}) => {
      const said: string[] = []
      const queue = { url: queueUrl, prefixes: ['bull'] }
      await provision({ databaseUrl, transit: { address }, token, queue, credentials, renew }, (done) =>
        said.push(done),
      )
      return said
    },
    stop: async () => {
      await bao.close()
      await wipe()
    },
  }
}
