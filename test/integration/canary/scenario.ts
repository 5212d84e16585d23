import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'vitest'
import type { Client, Detokenized, Tokenized } from '../../../producers/index.ts'
import { RequestFailed } from '../../../producers/index.ts'
import type { QueueName } from '../../../shared/contract/grammar.ts'
import type { RequestEnvelope } from '../../../shared/contract/request.ts'
import { tokenToUuid } from '../../../shared/crypto/token.ts'
import { runCli } from '../../harness/child.ts'
import { codesOf } from '../../harness/outcomes.ts'
import type { RequestContent } from '../../harness/raw-producer.ts'
import { now, RawProducer, ticketOf } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
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
  readonly #raw: RawProducer
  readonly trail: Trail = { codes: new Set(), texts: new Map() }

  constructor(vault: TestVault, actor: TestActor, client: Client) {
    this.#vault = vault
    this.#client = client
    this.#raw = new RawProducer(vault, actor)
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
    const given = (content: RequestContent, fields?: Partial<RequestEnvelope>) =>
      this.#raw.request('tokenize', content, fields)
    const asked = (content: RequestContent) => this.#raw.request('detok', content)
    const first = await given({ purpose, items: [value] })
    await this.#raw.put(first)
    await this.#client.collect(ticketOf(first))
    const refused = [
      await given(`{"purpose":"test","items":[{"field":"note","value":"${canary}`),
      await given(`${canary}{}`),
      await given({ purpose: canary, items: [value] }),
      await given({ purpose, reason: canary.repeat(9), items: [value] }),
      await given({ purpose, items: [value], [canary]: canary }),
      await given({ purpose, items: [{ ...value, [canary]: 1 }] }),
      await given({ purpose, items: [value, value] }, { items: 1 }),
      await given({ purpose, items: [value] }, { exp: now() - 3_600 }),
      await given({ purpose, items: new Array(1_001).fill(value) }),
      await asked({ purpose, items: [{ token: { [canary]: canary } }] }),
      await asked({ purpose, items: [token, canary] }),
      await asked(`[${JSON.stringify(canary)}]`),
      await given({ purpose, items: [{ ...value, value: `${canary}!` }] }, { id: first.envelope.id }),
    ]
    for (const request of refused) {
      await this.#raw.put(request)
      await this.#raw.reply(request)
      await this.#failing('collect', () => this.#client.collect<QueueName>(ticketOf(request)))
    }
    // Sealed under a session that no worker can open.
    const unopened = await asked({ purpose, items: [token] })
    const session = `vault:v1:${Buffer.alloc(76).toString('base64')}`
    await this.#raw.put(unopened, { data: { ...unopened.envelope, session } })
    await this.deadLetters('detok', 4)
    await this.deadLetters('tokenize', 10)
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
    const { envelope } = await this.#raw.request('detok', { purpose, items: [{ token: 'x' }] })
    const jobs = [open, { ...envelope, [canary]: 1 }, { ...envelope, reply: canary }, { ...envelope, body: canary }]
    const queue = this.#vault.queue('detok')
    for (const [i, job] of jobs.entries()) await queue.add('detok', job, { jobId: `clumsy-${i}` })
    await this.deadLetters('detok', 4 + jobs.length)
  }

  /** One that knows the form of a request, but forgets to encrypt its body. */
  async unsealed(canary: string): Promise<void> {
    const content = { purpose, items: [{ field: 'note', value: canary }] }
    const request = await this.#raw.request('tokenize', content)
    const body = Buffer.from(JSON.stringify(content).padEnd(512)).toString('base64')
    await this.#raw.put(request, { data: { ...request.envelope, body } })
    await this.deadLetters('tokenize', 11)
  }

  /** The command line, over files that are in order and files that are not. */
  async commands(canary: string, directory: string, environment: Record<string, string>): Promise<void> {
    const file = async (name: string, content: string | Buffer) => {
      await writeFile(join(directory, name), content)
      return join(directory, name)
    }
    const run = async (name: string, expected: number, ...args: string[]) => {
      const { code, stderr } = await runCli([...args, '--purpose', purpose], { env: environment })
      expect(code, `${name}: ${stderr}`).toBe(expected)
      this.trail.texts.set(`command ${name}`, stderr)
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

  async deadLetters(queue: string, count: number): Promise<void> {
    const letters = this.#vault.queue(`dead-${queue}`)
    await until(`${count} dead letters`, async () => (await letters.getWaitingCount()) >= count)
    expect(await letters.getWaitingCount()).toBe(count)
  }

  #note(outcomes: readonly (Tokenized | Detokenized)[]): void {
    for (const code of codesOf(outcomes)) this.trail.codes.add(code)
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
