import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import type { Report } from '../provision/index.ts'
import { addActor, exists, OpenBaoAdmin, provision, workerFile, writeActorCredentials } from '../provision/index.ts'
import type { Environment } from '../shared/config/reader.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { UserError } from '../shared/errors/user-error.ts'
import type { Stack } from '../stack/index.ts'
import { defaultDirectory, stackStatus, startStack } from '../stack/index.ts'

/*
 * The embedded stack as a configuration: all of it, or none. With `--stack` nothing of an address or a credential is taken
 * from the environment, so that one forgotten variable never puts production rows under a laptop's key.
 */

const credentials = join(defaultDirectory, 'credentials')
const cliCredentials = join(credentials, 'cli.json')
const policyBundle = fileURLToPath(new URL('../policy/bundle', import.meta.url))

/** Starts what is not running, and prepares it for the workers and for the CLI's own actor. */
export async function startEmbeddedStack(report: Report): Promise<Stack> {
  const stack = await startStack({ directory: defaultDirectory, onProgress: report })
  const { addresses, transitRootToken: token } = stack
  const transit = { address: addresses.transitAddr }
  // Whatever took the files away, nobody else has those credentials.
  const renew =
    !(await exists(workerFile(credentials, 'detok'))) || !(await exists(workerFile(credentials, 'tokenize')))
  await provision({ databaseUrl: addresses.databaseUrl, transit, token, credentials, renew }, report)
  if (!(await exists(cliCredentials))) {
    const bao = new OpenBaoAdmin(transit, token)
    try {
      await writeActorCredentials(cliCredentials, 'cli', await addActor(bao, 'cli', report))
    } finally {
      await bao.close()
    }
  }
  return stack
}

export async function workerEnvironment(queue: QueueName): Promise<Environment> {
  return { ...(await addresses()), ...parseEnv(readCredentials(workerFile(credentials, queue))), POLICY: policyBundle }
}

export async function producerEnvironment(): Promise<Environment> {
  return { ...(await addresses()), ACTOR_CREDENTIALS_FILE: cliCredentials }
}

export async function queueEnvironment(): Promise<Environment> {
  return addresses()
}

export async function adminEnvironment(): Promise<Environment> {
  const { addresses: at, transitRootToken } = await runningStack()
  return { DATABASE_URL: at.databaseUrl, TRANSIT_ADDR: at.transitAddr, BAO_TOKEN: transitRootToken.reveal() }
}

async function addresses(): Promise<Environment> {
  const { addresses: at } = await runningStack()
  return { QUEUE_URL: at.queueUrl, TRANSIT_ADDR: at.transitAddr, LOG_LEVEL: process.env['LOG_LEVEL'] }
}

async function runningStack(): Promise<Stack> {
  const { stack, services } = await stackStatus(defaultDirectory)
  if (stack !== undefined && services.every(({ running }) => running)) return stack
  throw new UserError('The embedded stack is not running: start it with `pii-vault stack up`.')
}

function readCredentials(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    throw new UserError(`${file} is missing: \`pii-vault stack up\` writes it.`)
  }
}
