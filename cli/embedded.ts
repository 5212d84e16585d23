import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import type { Report } from '../provision/index.ts'
import {
  addActor,
  exists,
  OpenBaoAdmin,
  provision,
  QueueUsers,
  workerFile,
  writeActorCredentials,
} from '../provision/index.ts'
import type { QueueConfig } from '../shared/config/environment.ts'
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
/** Of `pii-vault worker --stack` and its requests, and of `pii-vault start`. */
const prefixes = ['bull', 'start']
const policyBundle = fileURLToPath(new URL('../policy/bundle', import.meta.url))

/** Starts what is not running, and prepares it for the workers and for the CLI's own actor. */
export async function startEmbeddedStack(report: Report): Promise<Stack> {
  const stack = await startStack({ directory: defaultDirectory, onProgress: report })
  const { addresses, transitRootToken: token } = stack
  const queue = (await hasOwnQueue()) ? { url: addresses.queueUrl, prefixes } : undefined
  const transit = { address: addresses.transitAddr }
  // Whatever took the files away, nobody else has those credentials.
  const renew =
    !(await exists(workerFile(credentials, 'detok'))) || !(await exists(workerFile(credentials, 'tokenize')))
  await provision({ databaseUrl: addresses.databaseUrl, transit, token, queue, credentials, renew }, report)
  const issued = await readFile(cliCredentials, 'utf8').catch(() => '')
  if (issued === '' || (queue !== undefined && !issued.includes('queue_url'))) {
    const bao = new OpenBaoAdmin(transit, token)
    const users = queue && new QueueUsers(queue)
    try {
      const approle = await addActor(bao, 'cli', report)
      await writeActorCredentials(cliCredentials, 'cli', approle, await users?.addActor('cli', report))
    } finally {
      users?.close()
      await bao.close()
    }
  }
  return stack
}

export function prefixesOf({ prefix }: QueueConfig, stack = false): readonly string[] {
  return stack ? prefixes : [prefix]
}

export async function workerEnvironment(queue: QueueName): Promise<Environment> {
  return { ...(await addresses()), ...parseEnv(readCredentials(workerFile(credentials, queue))), POLICY: policyBundle }
}

export async function producerEnvironment(): Promise<Environment> {
  const { QUEUE_URL, ...others } = await addresses()
  const own = (await hasOwnQueue()) ? {} : { QUEUE_URL }
  return { ...others, ...own, ACTOR_CREDENTIALS_FILE: cliCredentials }
}

export async function queueEnvironment(): Promise<Environment> {
  return addresses()
}

export async function adminEnvironment(): Promise<Environment> {
  const { addresses: at, transitRootToken } = await runningStack()
  return {
    ...{ DATABASE_URL: at.databaseUrl, TRANSIT_ADDR: at.transitAddr, BAO_TOKEN: transitRootToken.reveal() },
    ...((await hasOwnQueue()) ? { QUEUE_URL: at.queueUrl } : {}),
  }
}

async function addresses(): Promise<Environment> {
  const { addresses: at } = await runningStack()
  return { QUEUE_URL: at.queueUrl, TRANSIT_ADDR: at.transitAddr, LOG_LEVEL: process.env['LOG_LEVEL'] }
}

/** A server of the user's gets no users from us: everything connects to it as the user of STACK_QUEUE_URL. */
async function hasOwnQueue(): Promise<boolean> {
  const { services } = await stackStatus(defaultDirectory)
  return services.some(({ service, source }) => service === 'valkey' && source !== 'url')
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
