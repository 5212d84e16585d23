import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { customersCsv } from '../../../samples/customers-csv.ts'

const seed = 1

/** This many invented customers as CSV. */
export async function writeCustomers(file: string, rows: number): Promise<void> {
  await pipeline(Readable.from(customersCsv(rows, seed)), createWriteStream(file))
}

/** The header of a CSV file, and all of its rows so many times. */
export async function repeatRows(source: string, file: string, times: number): Promise<void> {
  const header = await headerLength(source)
  async function* repeated(): AsyncGenerator<Buffer> {
    for (let time = 0; time < times; time++) yield* bytesOf(source, time === 0 ? 0 : header)
  }
  await pipeline(repeated, createWriteStream(file))
}

/** Throws unless both hold the same bytes. */
export async function assertSame(one: string, other: string): Promise<void> {
  const [first, second] = await Promise.all([digestOf(one), digestOf(other)])
  if (first !== second) throw new Error(`${other} does not hold what ${one} does`)
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(bytesOf(file), hash)
  return hash.digest('hex')
}

const mostHeaderBytes = 4_096

async function headerLength(file: string): Promise<number> {
  const handle = await open(file)
  try {
    const { buffer } = await handle.read(Buffer.alloc(mostHeaderBytes), 0, mostHeaderBytes, 0)
    return buffer.indexOf('\n') + 1
  } finally {
    await handle.close()
  }
}

const bytesOf = (file: string, start = 0): AsyncIterable<Buffer> =>
  createReadStream(file, { start, highWaterMark: 1_048_576 }) as AsyncIterable<Buffer>
