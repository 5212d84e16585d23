import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { freePort } from '../../harness/free-port.ts'
import { until } from '../../harness/until.ts'

const program = fileURLToPath(new URL('../../../.cache/bin/toxiproxy-server', import.meta.url))

const proxyAnswer = z.object({ listen: z.string() })

/** What Toxiproxy does to what passes. Times in milliseconds, rates in KB/s. */
export type Toxic =
  | { readonly type: 'latency'; readonly attributes: { readonly latency: number; readonly jitter?: number } }
  /** What is sent gets no answer; the connection stays open (0), or is closed after so long. */
  | { readonly type: 'timeout'; readonly attributes: { readonly timeout: number } }
  | { readonly type: 'reset_peer'; readonly attributes: { readonly timeout: number } }
  /** Each connection is closed after so many bytes. */
  | { readonly type: 'limit_data'; readonly attributes: { readonly bytes: number } }
  | { readonly type: 'bandwidth'; readonly attributes: { readonly rate: number } }

/** Shopify's Toxiproxy as a child process: https://github.com/Shopify/toxiproxy#http-api. `.ci/run` builds it. */
export class Toxiproxy {
  readonly #api: string
  readonly #end: () => Promise<unknown>

  private constructor(api: string, end: () => Promise<unknown>) {
    this.#api = api
    this.#end = end
  }

  static async start(): Promise<Toxiproxy> {
    const port = await freePort()
    const child = spawn(program, ['-host', '127.0.0.1', '-port', String(port)], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    const failed = once(child, 'error').then(([error]) => {
      throw new Error(`${program} cannot be run: .ci/run builds it`, { cause: error })
    })
    // Whatever becomes of the test, it does not outlive it.
    const kill = () => void child.kill('SIGKILL')
    process.once('exit', kill)
    const toxiproxy = new Toxiproxy(`http://127.0.0.1:${port}`, async () => {
      process.off('exit', kill)
      kill()
      await ended
    })
    const answers = until('Toxiproxy answers', () =>
      toxiproxy.#ask('GET', 'version').then(
        () => true,
        () => false,
      ),
    )
    await Promise.race([answers, failed])
    failed.catch(() => undefined)
    return toxiproxy
  }

  /** A proxy before the server of this URL. */
  async before(name: string, url: string): Promise<ServerProxy> {
    const { host } = new URL(url)
    const upstream = host.replace('localhost', '127.0.0.1')
    const answer = await this.#ask('POST', 'proxies', { name, listen: '127.0.0.1:0', upstream, enabled: true })
    const { listen } = proxyAnswer.parse(answer)
    return new ServerProxy(listen, (method, path, body) => this.#ask(method, `proxies/${name}${path}`, body))
  }

  async close(): Promise<void> {
    await this.#end()
  }

  async #ask(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#api}/${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`Toxiproxy answers ${response.status} to ${method} ${path}: ${text}`)
    return text.startsWith('{') ? (JSON.parse(text) as unknown) : text
  }
}

type Ask = (method: string, path: string, body?: object) => Promise<unknown>

/** One server's proxy. */
export class ServerProxy {
  readonly #listen: string
  readonly #ask: Ask
  readonly #toxics = new Set<string>()

  constructor(listen: string, ask: Ask) {
    this.#listen = listen
    this.#ask = ask
  }

  /** The same URL, by way of the proxy. */
  via(url: string): string {
    const through = new URL(url)
    through.host = this.#listen
    return through.href.replace(/\/$/, '')
  }

  /** Connections are lost, and new ones refused. */
  async cut(): Promise<void> {
    await this.#ask('POST', '', { enabled: false })
  }

  /** `downstream` is what the server says, `upstream` what is said to it. Connections that are open meet it too. */
  async add({ type, attributes }: Toxic, stream: 'upstream' | 'downstream' = 'downstream'): Promise<void> {
    const name = `${type}-${stream}`
    await this.#ask('POST', '/toxics', { name, type, stream, toxicity: 1, attributes })
    this.#toxics.add(name)
  }

  /** As if nothing had been. */
  async mend(): Promise<void> {
    for (const name of this.#toxics) await this.#ask('DELETE', `/toxics/${name}`)
    this.#toxics.clear()
    await this.#ask('POST', '', { enabled: true })
  }
}
