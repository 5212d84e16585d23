import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

// Below the range from which the kernel takes ports for outgoing connections (32768 and up on Linux, 49152 on macOS):
// a port from that range could be somebody's client port by the time a stopped server wants it back.
const lowest = 15_000
const highest = 32_000

/** The remembered ports if all are still free, else that many others. Free now: a server must still be ready to lose the race. */
export async function freePorts(count: number, remembered: readonly number[] = []): Promise<number[]> {
  if (remembered.length === count && (await allFree(remembered))) return [...remembered]
  const ports: number[] = []
  while (ports.length < count) {
    const port = randomInt(lowest, highest)
    if (!ports.includes(port) && (await isFree(port))) ports.push(port)
  }
  return ports
}

async function allFree(ports: readonly number[]): Promise<boolean> {
  return (await Promise.all(ports.map(isFree))).every(Boolean)
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
