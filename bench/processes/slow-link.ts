import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { serve } from './ipc.ts'

// Stands before a server and makes the ways to it longer: what is sent to the server arrives later, in its order; what comes
// back is passed on at once. BENCH_TARGET is the server's URL.

export interface WayThere {
  /** What one call takes on the way. It comes in one piece, if it is no larger than those of the workers. */
  readonly latencyMs: number
  /** Whether a way carries one call after the other, or all of them at once. */
  readonly calls: 'one by one' | 'at once'
}

const target = new URL(process.env['BENCH_TARGET'] ?? '')
let way: WayThere = { latencyMs: 0, calls: 'at once' }

/** A way of its own to the server. Its URL. */
async function open(): Promise<string> {
  let arrival = 0
  let sent = Promise.resolve()
  /** By the clock and not by pauses, so that a timer which comes late does not make the next one later. */
  const pass = (send: () => void) => {
    const start = way.calls === 'at once' ? performance.now() : Math.max(performance.now(), arrival)
    const due = start + way.latencyMs
    arrival = due
    sent = sent.then(() => until(due)).then(send)
  }
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port), noDelay: true })
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.on('data', (chunk: Buffer) => pass(() => upstream.write(chunk))).on('close', () => upstream.destroy())
    upstream.on('data', (chunk: Buffer) => void client.write(chunk)).on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `${target.protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function until(time: number): Promise<void> {
  const ms = time - performance.now()
  if (ms > 0) await delay(ms)
}

const handlers = {
  open,
  /** Of all ways, from now on. */
  set: (wanted: WayThere) => {
    way = wanted
  },
}
export type SlowLinkHandlers = typeof handlers
serve(handlers)
