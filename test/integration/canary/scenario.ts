import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, vi } from 'vitest'
import type { Client, Detokenized, Tokenized } from '../../../producers/index.ts'
import { RequestFailed } from '../../../producers/index.ts'
import type { Ticket } from '../../../producers/request.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import { replyJobId } from '../../../shared/contract/names.ts'
import { tokenToUuid } from '../../../shared/crypto/token.ts'
import { startCli } from '../../harness/child.ts'
import { Forger, ticketOf } from '../../harness/forger.ts'
import type { TestActor, TestVault } from '../../harness/vault.ts'

const purpose = 'test'

/** What came of a run: every outcome's code, and every text that left the code under test. */
export interface Trail {
  readonly codes: Set<string>
  readonly texts: Map<string, string>
}

export class Scenario {
  readonly #vault: TestVault
  readonly #client: Client
  readonly #forger: Forger
  readonly trail: Trail = { codes: new Set(), texts: new Map() }

  constructor(vault: TestVault, actor: TestActor, client: Client) {
    this.#vault = vault
    this.#client = client
    this.#forger = new Forger(vault, actor)
  }

  /** Values in, values out, and every way in which an item can fail. */
  async items(canary: string): Promise<void> {
    const values = [`${canary}@example.com`, ` ${canary}\n\t`, canary + 'x'.repeat(60_000), `{"v":"${canary}"}`]
    const given = await this.#client.tokenize(
      [
        ...values.map((value, i) => ({ field: ['email', 'phone', 'note', 'note'][i] as string, value })),
        { field: 'note', value: `${canary}\ud800` },
        { field: 'note', value: canary.repeat(2_000) },
        { field: canary, value: 'x' },
        { field: 'note', subject: `${canary} `, value: canary },
      ],
      { purpose },
    )
    this.#note(given)
    const tokens = given.flatMap((outcome) => (outcome.ok ? [outcome.token] : []))
    const misplaced = [...values, canary, `tok_${canary}`, `tok_${'0'.repeat(26)}`]
    this.#note(await this.#client.detok([...tokens, ...misplaced], { purpose }))
    this.#note(await this.#client.detok(tokens, { purpose: 'support' })) // masked
    this.#note(await this.#client.detok(tokens, { purpose: 'other' })) // denied
    await this.#client.submit('detok', tokens, { purpose }) // a reply that nobody reads

    const [corrupt = '', erased = '', future = '', retired = ''] = tokens
    const change = (token: string, set: string) =>
      this.#vault.postgres.query(`update vault.records set ${set} where token = $1`, [tokenToUuid(token)])
    await change(corrupt, 'ct = set_byte(ct, 20, get_byte(ct, 20) # 1)')
    await change(erased, 'ct = null, wdek = null, erased_at = now()')
    await change(future, "wdek = replace(wdek, 'vault:v1:', 'vault:v99:')")
    this.#note(await this.#client.detok([corrupt, erased, future], { purpose }))
    await this.#vault.bao.write('transit/keys/pii/rotate', {})
    await this.#vault.bao.write('transit/keys/pii/config', { min_decryption_version: 2 })
    this.#note(await this.#client.detok([retired], { purpose }))
    const large = { field: 'note', value: canary + 'y'.repeat(60_000) }
    const many = await this.#client.tokenize(new Array(20).fill(large), { purpose })
    const asked = many.flatMap((outcome) => (outcome.ok ? [outcome.token] : []))
    const ticket = await this.#client.submit('detok', asked, { purpose })
    this.#note(await this.#client.collect(ticket))
  }

  /** Requests that are refused as a whole: a canary inside the seal, wherever there is a place for it. */
  async requests(canary: string): Promise<void> {
    const token = { token: canary }
    const value = { field: 'note', value: canary }
    const past = Math.floor(Date.now() / 1_000) - 3_600
    const tickets = [
      await this.#forger.sealAndSend('tokenize', `{"purpose":"test","items":[{"field":"note","value":"${canary}`),
      await this.#forger.sealAndSend('tokenize', `${canary}{}`),
      await this.#forger.sealAndSend('tokenize', { purpose: canary, items: [value] }),
      await this.#forger.sealAndSend('tokenize', { purpose, reason: canary.repeat(9), items: [value] }),
      await this.#forger.sealAndSend('tokenize', { purpose, items: [value], [canary]: canary }),
      await this.#forger.sealAndSend('tokenize', { purpose, items: [{ ...value, [canary]: 1 }] }),
      await this.#forger.sealAndSend('tokenize', { purpose, items: [value, value] }),
      await this.#forger.sealAndSend('tokenize', { purpose, items: [value] }, { exp: past }),
      await this.#forger.sealAndSend('tokenize', { purpose, items: new Array(1_001).fill(value) }, { items: 1_001 }),
      await this.#forger.sealAndSend('detok', { purpose, items: [{ token: { [canary]: canary } }] }),
      await this.#forger.sealAndSend('detok', { purpose, items: [token, canary] }, { items: 2 }),
      await this.#forger.sealAndSend('detok', `[${JSON.stringify(canary)}]`),
    ]
    const first = await this.#forger.seal('tokenize', { purpose, items: [value] })
    await this.#forger.send('tokenize', first)
    await this.#client.collect(ticketOf('tokenize', first))
    tickets.push(
      await this.#forger.sealAndSend('tokenize', { purpose, items: [{ ...value, value: `${canary}!` }] }, first),
    )
    for (const ticket of tickets) {
      await this.#answered(ticket)
      await this.#failing('collect', () => this.#client.collect<QueueName>(ticket))
    }
    // Sealed under a session that no worker can open.
    const sealed = await this.#forger.seal('detok', { purpose, items: [token] })
    await this.#forger.send('detok', { ...sealed, session: `vault:v1:${Buffer.alloc(76).toString('base64')}` })
    await this.deadLetter('detok', 1)
  }

  /** Calls that never reach a queue. */
  async calls(canary: string): Promise<void> {
    const value = { field: 'note', value: canary }
    await this.#failing('purpose', () => this.#client.tokenize([value], { purpose: canary }))
    await this.#failing('reason', () => this.#client.tokenize([value], { purpose, reason: canary.repeat(9) }))
    await this.#failing('too many', () => this.#client.submit('tokenize', new Array(1_001).fill(value), { purpose }))
    await this.#failing('aborted', () =>
      this.#client.tokenize([value], { purpose, signal: AbortSignal.abort(new Error('enough')) }),
    )
  }

  /** Jobs of a producer that does not know of sealing. */
  async clumsy(canary: string): Promise<void> {
    const value = { field: 'note', value: canary }
    const open = { purpose, items: [value] }
    const sealed = await this.#forger.seal('detok', { purpose, items: [{ token: 'x' }] })
    const jobs = [open, { ...sealed, [canary]: 1 }, { ...sealed, reply: canary }, { ...sealed, body: canary }]
    for (const job of jobs) await this.#forger.send('detok', job, { jobId: `clumsy-${jobs.indexOf(job)}` })
    await this.deadLetter('detok', 1 + jobs.length)
  }

  /** One that knows the form of a request, but forgets to encrypt its body. */
  async unsealed(canary: string): Promise<void> {
    const sealed = await this.#forger.seal('tokenize', { purpose, items: [{ field: 'note', value: canary }] })
    const plain = JSON.stringify({ purpose, items: [{ field: 'note', value: canary }] }).padEnd(512)
    await this.#forger.send('tokenize', { ...sealed, body: Buffer.from(plain).toString('base64') })
    await this.deadLetter('tokenize', 1)
  }

  /** The command line, over files that are in order and files that are not. */
  async commands(canary: string, directory: string, environment: Record<string, string>): Promise<void> {
    const file = async (name: string, content: string | Buffer) => {
      await writeFile(join(directory, name), content)
      return join(directory, name)
    }
    const run = async (name: string, expected: number, ...args: string[]) => {
      const child = startCli([...args, '--purpose', purpose], environment)
      expect(await child.exited, `${name}: ${child.stderr}`).toBe(expected)
      this.trail.texts.set(`command ${name}`, child.stderr)
    }
    const cell = `"${canary.replaceAll('"', '""')}"`
    const csv = await file('people.csv', `email,phone\n${cell},${cell}\n`)
    const tokens = join(directory, 'tokens.csv')
    const both = ['--fields', 'email,phone']
    await run('tokenize', 0, 'tokenize', csv, ...both, '--out', tokens)
    await run('detok', 0, 'detok', tokens, ...both)
    await run('detok of values', 1, 'detok', csv, ...both)
    await run('unclosed quote', 1, 'tokenize', await file('unclosed.csv', `email,phone\n"${canary},x\n`), ...both)
    await run('ragged', 1, 'tokenize', await file('ragged.csv', `email,phone\n${cell},x,y\n`), ...both)
    const latin = Buffer.concat([Buffer.from(`email,phone\n${cell},`), Buffer.from([0xff]), Buffer.from('\n')])
    await run('no UTF-8', 1, 'tokenize', await file('latin.csv', latin), ...both)
    const email = ['--fields', 'email']
    const text = JSON.stringify(canary).slice(1, -1)
    await run('broken line', 1, 'tokenize', await file('broken.ndjson', `{"email":"${text}\n`), ...email)
    await run('surrogate', 1, 'tokenize', await file('half.ndjson', `{"email":"${text}\\ud800"}\n`), ...email)
    await run('no text', 1, 'tokenize', await file('object.ndjson', `{"email":{"${text}":1}}\n`), ...email)
  }

  async #answered({ queue, id, request, reply }: Ticket): Promise<void> {
    const replies = this.#vault.queue(reply)
    const there = async () => expect(await replies.getJob(replyJobId(queue, id, request))).toBeDefined()
    await vi.waitFor(there, { timeout: 10_000 })
  }

  async deadLetter(queue: string, count: number): Promise<void> {
    const letters = this.#vault.queue(`dead-${queue}`)
    await vi.waitFor(async () => expect(await letters.getWaitingCount()).toBe(count), { timeout: 10_000 })
  }

  #note(outcomes: readonly (Tokenized | Detokenized)[]): void {
    for (const outcome of outcomes) this.trail.codes.add(outcome.ok ? 'ok' : outcome.code)
    this.trail.texts.set(`outcomes ${this.trail.texts.size}`, inspect(outcomes) + JSON.stringify(outcomes))
  }

  async #failing(name: string, call: () => Promise<unknown>): Promise<void> {
    const error = await call().then(
      () => new Error('it did not fail'),
      (reason: unknown) => reason,
    )
    if (error instanceof RequestFailed) this.trail.codes.add(`request ${error.code}`)
    this.trail.texts.set(`error ${name} ${this.trail.texts.size}`, inspect(error, { depth: 9, showHidden: true }))
    expect(inspect(error)).not.toContain('it did not fail')
  }
}
