import { isUtf8 } from 'node:buffer'
import { UserError } from '../../shared/errors/user-error.ts'
import type { RowReader } from './batches.ts'
import { batches } from './batches.ts'
import { unknownColumn } from './columns.ts'
import { markLength } from './encoding.ts'
import { firstInvalidByte, invalidByteText } from './invalid-byte.ts'
import type { NdjsonLayout, NdjsonLine } from './ndjson-row.ts'
import { NdjsonRow } from './ndjson-row.ts'
import type { Row, Table, TableOptions } from './row.ts'
import { maxRowBytes } from './row.ts'
import { countLines, Window } from './window.ts'

const lf = 0x0a
const maxListedKeys = 200
const maxBlankBytes = 1024 * 1024

/** A table of JSON objects, one a line, from UTF-8 bytes. Fails with a UserError. */
export async function readNdjson(chunks: AsyncGenerator<Buffer>, options: TableOptions): Promise<Table> {
  const { preamble, rest } = await readPreamble(chunks)
  const layout = { columns: options.columns, subject: options.subject }
  return { preamble, rows: batches(new NdjsonReader(layout, countLines(preamble) + 1), rest, chunks) }
}

/** Byte order mark and blank lines before the first row. */
async function readPreamble(chunks: AsyncGenerator<Buffer>): Promise<{ preamble: Buffer; rest: Buffer }> {
  let bytes = Buffer.alloc(0)
  for (;;) {
    const chunk = await chunks.next()
    if (chunk.done) throw new UserError('The file is empty: there is no row in it.')
    bytes = Buffer.concat([bytes, chunk.value])
    const mark = markLength(bytes)
    const content = bytes.subarray(mark).findIndex((byte) => !isSpace(byte))
    if (content >= 0) {
      const end = bytes.lastIndexOf(lf, mark + content) + 1 || mark
      return { preamble: bytes.subarray(0, end), rest: bytes.subarray(end) }
    }
    if (bytes.length > maxBlankBytes) throw new UserError('The file starts with more than 1 MiB of blank lines.')
  }
}

function isSpace(byte: number): boolean {
  return byte === lf || byte === 0x20 || byte === 0x09 || byte === 0x0d
}

/** Turns chunks into rows. A row waits for the start of the next one, because the blank lines between are its own. */
class NdjsonReader implements RowReader {
  readonly #layout: NdjsonLayout
  readonly #window = new Window()
  readonly #missing: Set<string>
  readonly #keys = new Set<string>()
  #waiting: NdjsonLine | undefined
  #number = 1
  #line: number

  constructor(layout: NdjsonLayout, line: number) {
    this.#layout = layout
    this.#line = line
    this.#missing = new Set(layout.subject === undefined ? layout.columns : [...layout.columns, layout.subject])
  }

  read(chunk: Buffer): Row[] {
    this.#window.push(chunk)
    const end = chunk.lastIndexOf(lf) + 1
    const rows = end === 0 ? [] : this.#handOut(this.#window.length - chunk.length + end)
    if (this.#window.length + (this.#waiting?.tail.length ?? 0) > maxRowBytes)
      throw new UserError(
        `Row ${this.#number} (line ${this.#line}) is longer than 16 MiB: is each object on a line of its own?`,
      )
    return rows
  }

  end(): Row[] {
    const rows = this.#handOut(this.#window.length)
    if (this.#waiting) rows.push(this.#row(this.#waiting))
    const [missing] = this.#missing
    // A file of broken rows only has no keys to tell: its rows are reported one by one.
    if (missing !== undefined && this.#keys.size > 0) throw unknownColumn(missing, [...this.#keys], 'keys')
    return rows
  }

  /** The lines in the first `length` bytes, except the last, which waits. */
  #handOut(length: number): Row[] {
    const bytes = this.#window.bytes().subarray(0, length)
    if (!isUtf8(bytes)) this.#refuseByte(bytes)
    const text = bytes.toString('utf8')
    const rows: Row[] = []
    for (let start = 0; start < text.length; this.#line++) {
      const ending = text.indexOf('\n', start)
      const content = text.slice(start, ending < 0 ? text.length : ending)
      const tail = ending < 0 ? '' : '\n'
      start += content.length + tail.length
      if (/^[ \t\r]*$/.test(content) && this.#waiting) {
        this.#waiting = { ...this.#waiting, tail: this.#waiting.tail + content + tail }
        continue
      }
      if (this.#waiting) rows.push(this.#row(this.#waiting))
      this.#waiting = { number: this.#number++, line: this.#line, text: content, tail }
    }
    this.#window.dropUntil(this.#window.start + length)
    return rows
  }

  #row(line: NdjsonLine): Row {
    const row = new NdjsonRow(line, this.#layout)
    for (const key of row.keys) {
      this.#missing.delete(key)
      if (this.#keys.size < maxListedKeys) this.#keys.add(key)
    }
    return row
  }

  #refuseByte(bytes: Buffer): never {
    const at = firstInvalidByte(bytes)
    const before = bytes.toString('utf8', 0, at).split('\n')
    const rowsBefore = before.slice(0, -1).filter((line) => !/^[ \t\r]*$/.test(line)).length
    const where = `Row ${this.#number + rowsBefore} (line ${this.#line + before.length - 1})`
    throw new UserError(`${where}: ${invalidByteText(bytes[at])}`)
  }
}
