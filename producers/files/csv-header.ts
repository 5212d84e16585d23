import { isUtf8 } from 'node:buffer'
import { UserError } from '../../shared/errors/user-error.ts'
import { placeOf } from './columns.ts'
import { CsvFaultError, parseHeader } from './csv-records.ts'
import type { CsvLayout } from './csv-row.ts'
import { decodeField } from './csv-row.ts'
import { spansOf } from './csv-spans.ts'
import type { HeaderScan } from './delimiter.ts'
import { delimiterFrom, scanHeader, skipBlankLines } from './delimiter.ts'
import { markLength } from './encoding.ts'
import { firstInvalidByte, invalidByteText } from './invalid-byte.ts'
import type { TableOptions } from './row.ts'

const maxHeaderBytes = 1024 * 1024

export interface CsvHeader {
  /** Byte order mark, header and the blank lines around it. */
  readonly preamble: Buffer
  /** What was read beyond it. */
  readonly rest: Buffer
  readonly layout: CsvLayout
}

/** Reads up to the first row and finds the columns. Fails with a UserError; the bytes it takes are gone then. */
export async function readCsvHeader(chunks: AsyncGenerator<Buffer>, options: TableOptions): Promise<CsvHeader> {
  const given = options.delimiter === undefined ? undefined : delimiterFrom(options.delimiter)
  let bytes = Buffer.alloc(0)
  for (;;) {
    const chunk = await chunks.next()
    if (!chunk.done) bytes = Buffer.concat([bytes, chunk.value])
    const mark = markLength(bytes)
    const scan = scanHeader(bytes.subarray(mark), given)
    const end = scan.end === undefined ? bytes.length : skipBlankLines(bytes, mark + scan.end)
    // A CR alone may be the first half of a blank line's ending, and blank lines may go on in the next chunk.
    const complete = bytes.length > end && !(bytes.length === end + 1 && bytes[end] === 0x0d)
    if (chunk.done || complete) {
      const header = bytes.subarray(mark + scan.start, scan.end === undefined ? bytes.length : mark + scan.end)
      return { preamble: bytes.subarray(0, end), rest: bytes.subarray(end), layout: layoutOf(header, scan, options) }
    }
    if (bytes.length > maxHeaderBytes)
      throw new UserError('The header (line 1) is longer than 1 MiB: most likely a quote in it is never closed.')
  }
}

function layoutOf(header: Buffer, { delimiter }: HeaderScan, { columns, subject }: TableOptions): CsvLayout {
  if (header.toString('latin1').trim() === '') throw new UserError('The file is empty: not even a header is in it.')
  if (header.includes(0))
    throw new UserError('The header has NUL bytes in it: if the file is UTF-16, use --encoding utf-16le or utf-16be.')
  if (/\r(?!\n)/.test(header.toString('latin1')))
    throw new UserError(
      'The header has a bare carriage return in it. Lines must end in LF or CRLF: convert the file first.',
    )
  const names = namesIn(header, delimiter)
  const places = columns.map((column) => placeOf(column, names))
  return { header: names, delimiter, places, subject: subject === undefined ? undefined : placeOf(subject, names) }
}

function namesIn(header: Buffer, delimiter: string): string[] {
  try {
    const names = parseHeader(header, delimiter)
    if (!isUtf8(header)) refuseByte(header, names, delimiter)
    return names.map(decodeField)
  } catch (error) {
    if (!(error instanceof CsvFaultError)) throw error
    throw new UserError(
      error.fault === 'unclosed_quote'
        ? 'The header (line 1): a quote that opens in it is never closed.'
        : 'The header (line 1): a quote stands where none may be.',
    )
  }
}

function refuseByte(header: Buffer, names: readonly string[], delimiter: string): never {
  const at = firstInvalidByte(header)
  const spans = spansOf(header, names, delimiter, names.length)
  const cell = spans.findIndex(({ end }) => at < end) + 1
  throw new UserError(`The header, cell ${cell}: ${invalidByteText(header[at])}`)
}
