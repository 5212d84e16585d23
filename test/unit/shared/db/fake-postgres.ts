import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a statement comes to: done, an error with this SQLSTATE, or the end of the connection. */
export type Outcome = 'done' | 'hang up' | { readonly sqlstate: string; readonly text: string }

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const strings = (...texts: string[]) => Buffer.from(texts.map((text) => `${text}\0`).join(''))
const authenticated = message('R', Buffer.alloc(4))
const ready = message('Z', Buffer.from('I'))
const prepared = Buffer.concat([
  message('1', Buffer.alloc(0)),
  message('2', Buffer.alloc(0)),
  message('n', Buffer.alloc(0)),
])
const failure = ({ sqlstate, text }: Exclude<Outcome, string>) =>
  message('E', Buffer.concat([strings('SERROR', `C${sqlstate}`, `M${text}`, `D${text}`), Buffer.alloc(1)]))

/**
 * The server's half of Postgres' protocol, as far as it is met here; answers each statement as the test says.
 * https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
export async function fakePostgres(decide: (statement: string) => Outcome): Promise<string> {
  const server = createServer((socket) => serve(socket, decide))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `postgres://user:pw@127.0.0.1:${(server.address() as AddressInfo).port}/test`
}

function serve(socket: Socket, decide: (statement: string) => Outcome): void {
  let received: Buffer = Buffer.alloc(0)
  let started = false
  let statement = ''
  const answer = (before: Buffer, outcome: Outcome): void => {
    if (outcome === 'hang up') return void socket.destroy()
    const end = outcome === 'done' ? Buffer.concat([before, message('C', strings('DONE'))]) : failure(outcome)
    socket.write(Buffer.concat([end, ready]))
  }
  socket.on('error', () => undefined)
  socket.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes])
    // The first message has no type, all others one of a byte.
    for (;;) {
      const typeBytes = started ? 1 : 0
      if (received.length < typeBytes + 4) return
      const end = typeBytes + received.readInt32BE(typeBytes)
      if (received.length < end) return
      const type = started ? String.fromCharCode(received[0] ?? 0) : 'startup'
      const body = received.subarray(typeBytes + 4, end)
      received = received.subarray(end)
      started = true
      if (type === 'startup') socket.write(Buffer.concat([authenticated, ready]))
      if (type === 'Q') answer(Buffer.alloc(0), decide(body.toString().replace(/\0$/, '')))
      if (type === 'P') statement = body.toString().split('\0')[1] ?? ''
      if (type === 'S') answer(prepared, decide(statement))
    }
  })
}
