import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/** Stands before a server: counts how often it is connected to, and can take it away from those who come by this way. */
export class CountingProxy {
  connections = 0
  #state: 'open' | 'cut' | 'silent' = 'open'
  readonly #target: { readonly host: string; readonly port: number }
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer((socket) => this.#accept(socket))

  private constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) }
  }

  static async before(url: string): Promise<CountingProxy> {
    const proxy = new CountingProxy(new URL(url))
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  /** The same URL, by way of the proxy. */
  via(url: string): string {
    const through = new URL(url)
    through.port = String((this.#server.address() as AddressInfo).port)
    return through.href.replace(/\/$/, '')
  }

  /** As if the server had died: connections are lost, and new ones too. */
  cut(): void {
    this.#state = 'cut'
    for (const socket of this.#sockets) socket.destroy()
  }

  /** As if the network had: what is sent gets no answer, and nothing tells why. */
  silence(): void {
    this.#state = 'silent'
    for (const socket of this.#sockets) socket.unpipe().pause()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  #accept(socket: Socket): void {
    this.connections++
    if (this.#state === 'cut') return void socket.destroy()
    this.#sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => this.#sockets.delete(socket))
    if (this.#state === 'silent') return void socket.pause()
    const upstream = connect(this.#target)
    this.#sockets.add(upstream)
    upstream.on('error', () => undefined).on('close', () => this.#sockets.delete(upstream))
    socket.on('close', () => upstream.destroy()).pipe(upstream)
    upstream.on('close', () => socket.destroy()).pipe(socket)
  }
}
