import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { gatherWrites } from '../../../../shared/queue/gathered-writes.ts'

/** Notes what reaches the system: each entry is one call. */
class Calls extends Writable {
  readonly calls: string[] = []
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.calls.push(String(chunk))
    done()
  }
  override _writev(chunks: { chunk: Buffer }[], done: () => void): void {
    this.calls.push(chunks.map(({ chunk }) => String(chunk)).join(''))
    done()
  }
}

function gathered(): Calls {
  const stream = new Calls()
  gatherWrites(stream)
  return stream
}

test('what is written in one turn of the event loop leaves in one call, in order', async () => {
  const stream = gathered()
  for (const text of ['a', 'b', 'c']) stream.write(text)
  await Promise.resolve().then(() => stream.write('d'))
  expect(stream.calls).toEqual([])
  await turn()
  expect(stream.calls).toEqual(['abcd'])
})

test('turn after turn', async () => {
  const stream = gathered()
  for (const text of ['a', 'b', 'c']) {
    stream.write(text)
    await turn()
  }
  expect(stream.calls).toEqual(['a', 'b', 'c'])
})

test('what was written just before the end is not lost', async () => {
  const stream = gathered()
  stream.write('a')
  stream.write('b')
  stream.end('c')
  await new Promise((resolve) => stream.on('finish', resolve))
  expect(stream.calls.join('')).toBe('abc')
})

test("a stream that was destroyed takes a write as it did before: the write's callback tells", async () => {
  const stream = gathered()
  stream.destroy()
  const told = await new Promise((resolve) => stream.write('a', resolve))
  expect(told).toMatchObject({ code: 'ERR_STREAM_DESTROYED' })
  await turn()
  expect(stream.calls).toEqual([])
})
