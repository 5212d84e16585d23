import { text } from 'node:stream/consumers'
import type { ClientConfig, Ticket } from '../../../producers/index.ts'
import { createClient, Secret } from '../../../producers/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { shown } from '../../harness/outcomes.ts'

/*
 * A program that uses the client library: reads what to do as JSON from standard input, and says how it went on standard
 * output. It never calls `process.exit`: that it ends shows that the client left nothing open.
 */

export interface Order {
  readonly config: Omit<ClientConfig, 'credentials'> & {
    readonly credentials: { actor: string; roleId: string; secretId: string }
  }
  readonly ticket?: Ticket & { queue: QueueName }
}

export type Said = { readonly values: string[] } | { readonly error: string; readonly message: string }

const { config, ticket } = JSON.parse(await text(process.stdin)) as Order
const { actor, roleId, secretId } = config.credentials

async function work(): Promise<Said> {
  const client = await createClient({ ...config, credentials: { actor, roleId, secretId: new Secret(secretId) } })
  try {
    const outcomes = ticket === undefined ? [] : await client.collect(ticket)
    return { values: outcomes.map(shown) }
  } finally {
    await client.close()
  }
}

const said: Said = await work().catch((error: Error) => ({ error: error.name, message: error.message }))
process.stdout.write(JSON.stringify(said))
