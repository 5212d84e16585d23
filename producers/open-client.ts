import type { Queue } from 'bullmq'
import type { ActorCredentials, QueueConfig } from '../shared/config/environment.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { replyQueueName } from '../shared/contract/names.ts'
import { authoritySettings, certificateProblem } from '../shared/errors/certificates.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import { ContentRefused, Unavailable } from '../shared/errors/server-errors.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { Closing } from '../shared/lifecycle/closing.ts'
import { within } from '../shared/lifecycle/within.ts'
import type { Logger } from '../shared/log/log.ts'
import { createLogger } from '../shared/log/log.ts'
import { redisAdvice, redisAt } from '../shared/queue/advice.ts'
import { connected, connectQueue } from '../shared/queue/connection.ts'
import { openQueue } from '../shared/queue/queue.ts'
import type { OpenBaoAddress } from '../shared/transit/http.ts'
import { openTransit } from '../shared/transit/index.ts'
import { Client } from './client.ts'
import { Exchange } from './exchange.ts'
import { ReplyListener } from './reply-listener.ts'
import { Sessions } from './sessions.ts'
import { Withdrawals } from './withdrawals.ts'

export interface ClientConfig {
  readonly queue: QueueConfig
  readonly transit: OpenBaoAddress
  readonly credentials: ActorCredentials
  /** A reply queue of its own, `reply-<actor>.<name>`. Without it `reply-<actor>`, which clients of one actor can share. */
  readonly replyName?: string
  readonly log?: Logger
}

const openWithinMs = 5_000
const closeWithinMs = 5_000

/** Opens a client. Throws UserError where a server does not answer, or refuses the actor's credentials. */
export async function createClient(config: ClientConfig): Promise<Client> {
  const { queue, transit: address, credentials, replyName, log = createLogger('silent', 'client') } = config
  const { actor, roleId, secretId } = credentials
  const closing = new Closing()
  const close = () => closing.close(closeWithinMs, log)
  try {
    const opened = openTransit(address, { roleId, secretId: () => Promise.resolve(secretId) })
    closing.onClose('transit', opened.close)
    const commands = connectQueue(queue.url, log, 'patient')
    closing.onClose('queue connection', () => commands.disconnect())
    const firstTry = within(openWithinMs, connected(commands))
    const blocking = connectQueue(queue.url, log, 'patient')
    closing.onClose('event connection', () => blocking.disconnect())

    const open = (name: QueueName): Queue => {
      const requestQueue = openQueue(name, commands, queue.prefix, (error) =>
        log.debug({ err: error }, 'request queue'),
      )
      closing.onClose(name, () => requestQueue.close())
      return requestQueue
    }
    const replyQueue = replyQueueName(actor, replyName)
    const replies = new ReplyListener(replyQueue, queue.prefix, { commands, blocking }, log)
    closing.onClose('replies', () => replies.close())
    const sessions = new Sessions(opened.transit, actor)
    const requests = { detok: open('detok'), tokenize: open('tokenize') }
    const withdrawals = new Withdrawals(requests, replies)
    closing.onClose('withdrawals', () => withdrawals.settled())

    const ready = within(openWithinMs, replies.ready())
    ready.catch(() => undefined) // where it is not waited for
    const problem = certificateProblem(errorCode(await firstTry), authoritySettings.redis)
    if (problem !== undefined) throw new UserError(`${redisAt(queue.url)} ${problem}`)
    if ((await ready) === 'late') throw new UserError(redisAdvice(queue.url))
    await sessions.current('detok').catch((error: unknown) => {
      const exitCode = error instanceof UserError ? error.exitCode : undefined
      throw new UserError(transitAdvice(error, address.address, actor), exitCode)
    })
    const closed = new AbortController()
    closing.onClose('waiting calls', () => closed.abort(new UserError('The client was closed while a call waited.')))
    const parts = { actor, replyQueue, requests, replies, sessions, withdrawals, closed: closed.signal, log }
    return new Client(new Exchange(parts), close)
  } catch (error) {
    await close()
    throw error
  }
}

function transitAdvice(error: unknown, address: string, actor: string): string {
  if (error instanceof UserError) {
    return `OpenBao at ${address} (TRANSIT_ADDR) refuses the credentials of the actor ${actor}: they were revoked, or are not of this OpenBao. \`pii-vault actor add ${actor} --out FILE\` gives new ones.`
  }
  if (error instanceof ContentRefused || (error instanceof Unavailable && error.reason === 'refused our token')) {
    return `OpenBao at ${address} has no session key for the actor ${actor}: make it with \`pii-vault actor add ${actor}\`.`
  }
  const problem = error instanceof Unavailable ? certificateProblem(error.code, authoritySettings.transit) : undefined
  if (problem !== undefined) return `OpenBao at ${address} (TRANSIT_ADDR) ${problem}`
  return `OpenBao at ${address} (TRANSIT_ADDR) cannot be used: is it running and unsealed?`
}
