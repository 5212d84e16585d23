import { exitCodes, UserError } from '../../shared/errors/user-error.ts'
import type { Decoder } from './transcoder.ts'
import { Transcoder } from './transcoder.ts'

/** Chunks are cut to this size, so that a source with huge ones does not make huge batches. */
const maxChunkBytes = 256 * 1024

const byteOrderMarks = [
  { encoding: 'utf-8', bytes: Buffer.from([0xef, 0xbb, 0xbf]) },
  { encoding: 'utf-16le', bytes: Buffer.from([0xff, 0xfe]) },
  { encoding: 'utf-16be', bytes: Buffer.from([0xfe, 0xff]) },
]

/**
 * The input's bytes as UTF-8: as they are (their validity is checked where row and column are known), or transcoded
 * from `encoding`. A byte order mark stays, and stands whole in the first chunk.
 *
 * Fails with a UserError for an unknown encoding, one that the byte order mark belies, or bytes that are not in it.
 */
export async function* utf8Chunks(input: AsyncIterable<Uint8Array>, encoding = 'utf-8'): AsyncGenerator<Buffer> {
  const decoder = decoderFor(encoding)
  let head: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of input) {
    let bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    if (head) {
      head = Buffer.concat([head, bytes])
      if (head.length < 4) continue
      checkByteOrderMark(head, decoder.encoding)
      bytes = head
      head = undefined
    }
    yield* decode(decoder, bytes)
  }
  if (head) checkByteOrderMark(head, decoder.encoding)
  yield* decode(decoder, head ?? Buffer.alloc(0), true)
}

/** The UTF-8 byte order mark at the start of `bytes`, in bytes: 0 or 3. */
export function markLength(bytes: Buffer): number {
  return bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0
}

function decoderFor(encoding: string): Decoder {
  try {
    const { encoding: name } = new TextDecoder(encoding)
    return name === 'utf-8' ? { encoding: name, decode: (bytes) => bytes } : new Transcoder(name)
  } catch {
    throw new UserError(
      `Unknown encoding ${JSON.stringify(encoding)}. Known are, for example, utf-8, windows-1252, iso-8859-15, utf-16le, shift_jis.`,
      exitCodes.usage,
    )
  }
}

function checkByteOrderMark(head: Buffer, encoding: string): void {
  const mark = byteOrderMarks.find(({ bytes }) => head.subarray(0, bytes.length).equals(bytes))
  if (!mark || mark.encoding === encoding) return
  if (mark.encoding === 'utf-8')
    throw new UserError(`The file starts with the byte order mark of UTF-8, so it is not ${encoding}: omit --encoding.`)
  throw new UserError(`The file starts with the byte order mark of ${mark.encoding}: use --encoding ${mark.encoding}.`)
}

function* decode(decoder: Decoder, bytes: Buffer, last = false): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += maxChunkBytes)
    yield decoder.decode(bytes.subarray(at, at + maxChunkBytes), false)
  if (last) yield decoder.decode(Buffer.alloc(0), true)
}
