import { v7 as uuidv7 } from 'uuid'
import type { Ticket } from '../../producers/request.ts'
import type { Session } from '../../producers/sessions.ts'
import { Sessions } from '../../producers/sessions.ts'
import { requestAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import type { RequestEnvelope } from '../../shared/contract/request.ts'
import { digestOf } from '../../shared/contract/seal.ts'
import { seal } from '../../shared/crypto/aes-gcm.ts'
import { openTransit } from '../../shared/transit/index.ts'
import type { TestActor, TestVault } from './vault.ts'

type Clear = Omit<RequestEnvelope, 'v' | 'session' | 'body'>

/** A producer by hand: everything it sends is sealed under a real session, and may break any rule of the contract. */
export class Forger {
  readonly actor: string
  readonly sessions: Sessions
  readonly #vault: TestVault

  constructor(vault: TestVault, { name, roleId, secretId }: TestActor) {
    const role = { roleId, secretId: () => Promise.resolve(secretId) }
    const { transit, close } = openTransit({ address: vault.stack.transitAddr }, role)
    vault.onClose(close)
    this.#vault = vault
    this.actor = name
    this.sessions = new Sessions(transit, name)
  }

  session(queue: QueueName): Promise<Session> {
    return this.sessions.current(queue)
  }

  /** A request of any plaintext, under any clear fields. */
  async seal(queue: QueueName, plaintext: string | object, clear: Partial<Clear> = {}): Promise<RequestEnvelope> {
    const { key, until, wrapped } = await this.session(queue)
    const fields: Clear = {
      id: uuidv7(),
      actor: this.actor,
      until,
      exp: Math.floor(Date.now() / 1_000) + 60,
      reply: `reply-${this.actor}`,
      items: 1,
      ...clear,
    }
    const text = typeof plaintext === 'string' ? plaintext : JSON.stringify(plaintext)
    const body = seal(key, Buffer.from(text.padEnd(Math.ceil(text.length / 256) * 256)), requestAad(queue, fields))
    return { v: 1, ...fields, session: wrapped, body: body.toString('base64') }
  }

  /** Puts anything on a queue, as a job of its name and under its id unless told. */
  async send(
    queue: QueueName,
    data: object,
    { jobId = 'id' in data ? String(data.id) : uuidv7(), name = queue as string } = {},
  ): Promise<void> {
    await this.#vault.queue(queue).add(name, data, { jobId })
  }

  async sealAndSend(queue: QueueName, plaintext: string | object, clear: Partial<Clear> = {}) {
    const envelope = await this.seal(queue, plaintext, clear)
    await this.send(queue, envelope)
    return ticketOf(queue, envelope)
  }
}

/** With this, any client of the actor can collect the answer. */
export function ticketOf<Q extends QueueName>(
  queue: Q,
  { id, items, reply, exp, body }: RequestEnvelope,
): Ticket & { queue: Q } {
  return { queue, id, items, reply, exp, request: digestOf(Buffer.from(body, 'base64')) }
}
