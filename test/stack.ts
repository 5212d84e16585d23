import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { provision } from '../provision/index.ts'
import { startStack } from '../stack/index.ts'
import { reapWithThisProcess } from './harness/reap.ts'

/** Where the tests find the real servers that all of them share. */
export interface TestStack {
  readonly directory: string
  readonly queueUrl: string
  /** As the superuser. */
  readonly databaseUrl: string
  readonly transitAddr: string
  readonly rootToken: string
  /** Holds the credentials of both worker pools. */
  readonly credentials: string
}

declare module 'vitest' {
  interface ProvidedContext {
    stack: TestStack
  }
}

/** Each vault has a prefix of its own, and the pools of one stack work for all of them. */
const testPrefixes = ['test-*']

/** An embedded stack in a directory of its own, provisioned. `stop`, or this process's end, leaves nothing behind. */
export async function startTestStack(): Promise<{ stack: TestStack; stop: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'pii-vault-test-'))
  const stackDirectory = join(directory, 'stack')
  const credentials = join(directory, 'credentials')
  const stop = await reapWithThisProcess(directory)
  try {
    const { addresses, transitRootToken: token } = await startStack({ directory: stackDirectory })
    const { queueUrl, databaseUrl, transitAddr } = addresses
    const transit = { address: transitAddr }
    const queue = { url: queueUrl, prefixes: testPrefixes }
    await provision({ databaseUrl, transit, token, queue, credentials }, () => undefined)
    const rootToken = token.reveal()
    return { stack: { directory: stackDirectory, queueUrl, databaseUrl, transitAddr, rootToken, credentials }, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Before all tests: the stack that they share. After all: it is stopped and gone. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stack, stop } = await startTestStack()
  project.provide('stack', stack)
  return stop
}
