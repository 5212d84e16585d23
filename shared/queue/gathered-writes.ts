import type { Writable } from 'node:stream'

/**
 * What is written to the stream in one turn of the event loop leaves in one system call. ioredis makes one for each command,
 * and with a batch of results there are dozens in a turn: for both ends the calls cost more than the commands.
 */
export function gatherWrites(stream: Writable): void {
  const write = stream.write.bind(stream) as (...chunk: unknown[]) => boolean
  let gathering = false
  stream.write = (...chunk: unknown[]) => {
    if (!gathering) {
      gathering = true
      stream.cork()
      setImmediate(() => {
        gathering = false
        stream.uncork()
      })
    }
    return write(...chunk)
  }
}
