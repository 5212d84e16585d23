import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An answer that no OpenBao can be made to give on demand. `half`: the real answer's headers and half of its body, then silence. */
export type Refusal =
  | 'half'
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }

/** Stands before OpenBao and passes on what is asked and answered, until it is told to answer in its place. */
export class TransitFront {
  /** What was asked so far. */
  requests = 0
  readonly #upstream: URL
  readonly #server: Server
  #refusal: Refusal | undefined

  private constructor(upstream: URL) {
    this.#upstream = upstream
    this.#server = createServer((asked, answer) => this.#pass(asked, answer))
  }

  static async before(url: string): Promise<TransitFront> {
    const front = new TransitFront(new URL(url))
    front.#server.listen(0, '127.0.0.1')
    await once(front.#server, 'listening')
    return front
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  refuseWith(refusal: Refusal): void {
    this.#refusal = refusal
  }

  mend(): void {
    this.#refusal = undefined
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  #pass(asked: IncomingMessage, answer: ServerResponse): void {
    this.requests++
    answer.on('error', () => undefined)
    const refusal = this.#refusal
    if (refusal !== undefined && refusal !== 'half') {
      asked.resume()
      answer.writeHead(refusal.status, refusal.headers).end(refusal.body)
      return
    }
    const { method, url, headers } = asked
    const upstream = request({ host: this.#upstream.hostname, port: this.#upstream.port, method, path: url, headers })
    upstream.on('error', () => answer.destroy())
    upstream.on('response', (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers)
      if (refusal === undefined) return void answered.on('error', () => answer.destroy()).pipe(answer)
      answered.once('data', (part: Buffer) => answer.write(part.subarray(0, Math.floor(part.length / 2))))
    })
    asked.pipe(upstream)
  }
}
