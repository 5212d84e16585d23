import { createHash, randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Redis } from 'ioredis'
import { hostOf } from '../shared/config/addresses.ts'
import type { QueueName } from '../shared/contract/grammar.ts'
import { queues } from '../shared/contract/grammar.ts'
import { authoritySettings, certificateProblem } from '../shared/errors/certificates.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import { UserError } from '../shared/errors/user-error.ts'
import { actorRules, poolRules } from './queue-rules.ts'
import type { Report } from './transit.ts'

/** A Redis or Valkey as a user that may make others, and the key prefixes that those are for. */
export interface QueueAdminAddress {
  readonly url: string
  readonly prefixes: readonly string[]
}

const poolUser = (queue: QueueName): string => `pii-worker-${queue}`
const actorUser = (actor: string): string => `pii-actor-${actor}`

/** The users of the pools and actors on Redis or Valkey. Passwords go there as their hash, and are random. */
export class QueueUsers {
  readonly #redis: Redis
  readonly #address: QueueAdminAddress
  #connectionCode: string | undefined

  constructor(address: QueueAdminAddress) {
    this.#address = address
    this.#redis = new Redis(address.url, {
      lazyConnect: true,
      enableReadyCheck: false,
      connectTimeout: 5_000,
      commandTimeout: 5_000,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    })
    // The command under way tells that there is no connection, but not why.
    this.#redis.on('error', (error: unknown) => {
      this.#connectionCode = errorCode(error)
    })
  }

  /** A user for each pool, with the rights of today. One that is there keeps its password. */
  async ensurePools(report: Report): Promise<void> {
    let changes = 0
    const count: Report = (done) => {
      changes++
      report(done)
    }
    for (const queue of queues) {
      await this.#ensure(poolUser(queue), poolRules(queue, this.#address.prefixes), [], count)
    }
    if (changes > 0) await this.#save(report)
  }

  /** A new password for a pool in place of any that it had; the QUEUE_URL with it. */
  async issuePoolUrl(queue: QueueName, report: Report): Promise<string> {
    const password = newPassword()
    await this.#acl('SETUSER', poolUser(queue), 'resetpass', hashOf(password))
    await this.#save(report)
    return this.#urlOf(poolUser(queue), password)
  }

  /** Lets a pool in with the QUEUE_URL that it was given before, should the server have lost its users since. */
  async restorePool(queue: QueueName, url: string, report: Report): Promise<void> {
    const { username, password } = new URL(url)
    if (username !== poolUser(queue)) return
    if (await this.#accepts(username, hashOf(password))) return
    await this.#acl('SETUSER', username, hashOf(password))
    await this.#save(report)
  }

  /** The QUEUE_URL of an actor, with a password beside those that it was given before. */
  async addActor(actor: string, report: Report): Promise<string> {
    const password = newPassword()
    await this.#ensure(actorUser(actor), actorRules(actor, this.#address.prefixes), [hashOf(password)], report)
    await this.#save(report)
    return this.#urlOf(actorUser(actor), password)
  }

  /** No password of it is good any more, and its connections are cut. `addActor` gives a new one. */
  async revokeActor(actor: string, report: Report): Promise<void> {
    const user = actorUser(actor)
    if (!(await this.#exists(user))) return
    await this.#acl('SETUSER', user, 'resetpass')
    await this.#save(report)
    const cut = await this.#call('CLIENT', 'KILL', 'USER', user)
    report(`took the passwords of the queue user ${user}, and cut ${String(cut)} of its connections`)
  }

  /** The server cuts the connections of a user that it deletes. */
  async removeActor(actor: string, report: Report): Promise<void> {
    if ((await this.#acl('DELUSER', actorUser(actor))) === 0) return
    await this.#save(report)
    report(`deleted the queue user ${actorUser(actor)}`)
  }

  close(): void {
    this.#redis.disconnect()
  }

  async #ensure(user: string, rules: readonly string[], passwords: readonly string[], report: Report): Promise<void> {
    const before = await this.#rightsOf(user)
    const nothing = ['resetkeys', 'resetchannels', 'clearselectors', 'nocommands']
    await this.#acl('SETUSER', user, 'on', ...nothing, ...rules, ...passwords)
    if (before === undefined) report(`made the queue user ${user}`)
    else if (!isDeepStrictEqual(before, await this.#rightsOf(user))) {
      report(`brought the rights of the queue user ${user} up to date`)
    }
  }

  /** All of a user but its passwords. */
  async #rightsOf(user: string): Promise<unknown> {
    const answer = await this.#acl('GETUSER', user)
    if (!Array.isArray(answer)) return undefined
    const passwords = answer.indexOf('passwords')
    return answer.filter((_, index) => index !== passwords + 1)
  }

  async #exists(user: string): Promise<boolean> {
    return (await this.#acl('GETUSER', user)) !== null
  }

  async #accepts(user: string, hash: string): Promise<boolean> {
    const answer = await this.#acl('GETUSER', user)
    const passwords: unknown = Array.isArray(answer) ? answer[answer.indexOf('passwords') + 1] : []
    return Array.isArray(passwords) && passwords.includes(hash.slice(1))
  }

  /** Servers keep users in memory: in their file of users, or else in their configuration, they outlive a restart. */
  async #save(report: Report): Promise<void> {
    try {
      await this.#redis.call('ACL', 'SAVE').catch(() => this.#redis.call('CONFIG', 'REWRITE'))
    } catch {
      report(
        `could not make ${hostOf(this.#address.url)} keep its users: it forgets them when it restarts, unless its operator saves them (an \`aclfile\` in its configuration and ACL SAVE)`,
      )
    }
  }

  #acl(...words: string[]): Promise<unknown> {
    return this.#call('ACL', ...words)
  }

  async #call(command: string, ...words: string[]): Promise<unknown> {
    try {
      return await this.#redis.call(command, ...words)
    } catch (error) {
      throw this.#problem(error)
    }
  }

  /** Of a server's refusal its first word alone is told: the rest may quote what it was sent. */
  #problem(error: unknown): UserError {
    const where = `Redis at ${hostOf(this.#address.url)} (QUEUE_URL)`
    const problem = certificateProblem(this.#connectionCode, authoritySettings.redis)
    if (problem !== undefined) return new UserError(`${where} ${problem}`)
    const refusal = error instanceof Error && error.name === 'ReplyError' ? error.message.split(' ', 1)[0] : undefined
    if (refusal === undefined || refusal === 'WRONGPASS' || refusal === 'NOAUTH')
      return new UserError(`${where} does not answer an administrator: is it running, and are user and password right?`)
    return new UserError(
      `${where} refuses to make users (${refusal}): it must be Valkey or Redis 7 or newer, and this user allowed ACL and CLIENT KILL. Where that cannot be, unset QUEUE_URL: then the queue is left alone, and you give each worker and producer a QUEUE_URL yourself.`,
    )
  }

  #urlOf(user: string, password: string): string {
    const url = new URL(this.#address.url)
    url.username = user
    url.password = password
    return url.href
  }
}

const newPassword = (): string => randomBytes(24).toString('base64url')

/** As a rule that adds the password. Random and long, it needs no salt. */
const hashOf = (password: string): string => `#${createHash('sha256').update(password).digest('hex')}`
