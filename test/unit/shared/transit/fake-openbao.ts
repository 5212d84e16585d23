import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { Secret } from '../../../../shared/crypto/secret.ts'
import { openTransit } from '../../../../shared/transit/index.ts'

export interface Question {
  readonly path: string
  readonly token: string | undefined
  readonly body: Record<string, unknown>
}
export interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: Record<string, string>
}
/** Answers, or writes to the socket what it likes. */
type Handler = (question: Question, response: ServerResponse) => Answer | undefined | Promise<Answer | undefined>

const refused: Answer = { status: 403, body: { errors: ['permission denied'] } }
const nobody: Handler = () => ({ status: 404, body: { errors: [] } })

/** The parts of OpenBao that the client meets, to be made to do what a real one cannot be asked for. */
export class FakeOpenBao {
  address = ''
  readonly questions: Question[] = []
  /** What a login takes. */
  secretId = 'right'
  leaseSeconds = 3_600
  readonly live = new Set<string>()
  /** Answers what is asked of Transit under a live token. */
  transit: Handler = nobody
  /** Takes the place of any answer. */
  instead: Handler = () => undefined
  #tokens = 0

  asked(path: string): number {
    return this.questions.filter((question) => question.path === path).length
  }

  async listen(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const token = request.headers['x-vault-token']
    const question = {
      path: request.url?.replace('/v1/', '') ?? '',
      token: typeof token === 'string' ? token : undefined,
      body: body === '' ? {} : (JSON.parse(body) as Record<string, unknown>),
    }
    this.questions.push(question)
    const answer = (await this.instead(question, response)) ?? (await this.#answer(question, response))
    if (answer === undefined || response.headersSent) return
    response.writeHead(answer.status, answer.headers)
    response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}))
  }

  #answer(question: Question, response: ServerResponse): ReturnType<Handler> {
    const { path, token = '', body } = question
    if (path === 'auth/approle/login') {
      if (body['secret_id'] !== this.secretId) return { status: 400, body: { errors: ['invalid role or secret ID'] } }
      const issued = `token-${++this.#tokens}`
      this.live.add(issued)
      return this.#auth(issued)
    }
    if (!this.live.has(token)) return refused
    if (path === 'auth/token/lookup-self') return { status: 200, body: { data: {} } }
    if (path === 'auth/token/renew-self') return this.#auth(token)
    if (path === 'auth/token/revoke-self') this.live.delete(token)
    return path.startsWith('transit/') ? this.transit(question, response) : { status: 204, body: '' }
  }

  #auth(client_token: string): Answer {
    return { status: 200, body: { auth: { client_token, lease_duration: this.leaseSeconds, renewable: true } } }
  }
}

/** A fake server, and Transit opened on it. Both end with the test. */
export async function openFake(secretId: () => Promise<Secret> = async () => new Secret('right')) {
  const bao = new FakeOpenBao()
  await bao.listen()
  const { transit, close } = openTransit({ address: bao.address }, { roleId: 'role', secretId })
  onTestFinished(close)
  return { bao, transit, close }
}

/** Transit's answer to a batch, item by item; each is told what it is answered to. */
export function perItem(answer: (item: Record<string, unknown>, index: number) => object, status = 200): Handler {
  return ({ body }) => {
    const batch = body['batch_input'] as Record<string, unknown>[]
    const batch_results = batch.map((item, i) => ({ reference: item['reference'], ...answer(item, i) }))
    return { status, body: { data: { batch_results } } }
  }
}

export const plaintext = Buffer.from('a key of 32 bytes, as it should.').toString('base64')
