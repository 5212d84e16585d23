import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { ListenAddress } from '../shared/config/addresses.ts'
import { errorCode } from '../shared/errors/error-code.ts'
import { exitCodes, UserError } from '../shared/errors/user-error.ts'

/** What is asked of a replica. Undefined while there is none yet. */
export interface Observed {
  readonly readiness: Readiness
  readonly metrics: { text(): Promise<string> }
}

export interface Readiness {
  readonly ready: boolean
  readonly state: 'starting' | 'open' | 'closed' | 'leaving'
  /** The servers that keep the intake closed. */
  readonly down: readonly string[]
}

const starting: Readiness = { ready: false, state: 'starting', down: [] }

/**
 * Answers probes and Prometheus:
 *
 *   GET /livez    200 as long as the process can answer at all
 *   GET /readyz   200 while work is taken in, else 503; why, as JSON
 *   GET /metrics  the replica's metrics and the process's own
 *
 * Nobody is asked who they are: nothing here is secret, and the address should be one that only the cluster reaches.
 */
export class HealthServer {
  readonly #server: Server

  static async listen({ host, port }: ListenAddress, observed: () => Observed | undefined): Promise<HealthServer> {
    const own = new Registry()
    collectDefaultMetrics({ register: own })
    const server = createServer((request, response) => {
      void answer(request, response, observed(), own)
    })
    server.listen(port, host)
    try {
      await once(server, 'listening')
    } catch (error) {
      throw new UserError(
        `METRICS_ADDR: ${host}:${port} cannot be listened on (${errorCode(error) ?? 'unknown'}): is another process there? Each replica needs one of its own.`,
        exitCodes.usage,
      )
    }
    return new HealthServer(server)
  }

  private constructor(server: Server) {
    this.#server = server
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }
}

async function answer(
  { method, url = '' }: IncomingMessage,
  response: ServerResponse,
  replica: Observed | undefined,
  own: Registry,
): Promise<void> {
  const send = (status: number, type: string, body: string) =>
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  if (method !== 'GET' && method !== 'HEAD') return void send(405, 'text/plain', '')
  // Never thrown for: `//` is a path that clients can send, and no URL.
  switch (URL.parse(url, 'http://replica')?.pathname) {
    case '/livez':
      return void send(200, 'text/plain', 'live\n')
    case '/readyz': {
      const readiness = replica?.readiness ?? starting
      return void send(readiness.ready ? 200 : 503, 'application/json', `${JSON.stringify(readiness)}\n`)
    }
    case '/metrics': {
      const texts = await Promise.all([replica?.metrics.text() ?? '', own.metrics()])
      return void send(200, own.contentType, texts.join('\n'))
    }
    default:
      return void send(404, 'text/plain', '')
  }
}
