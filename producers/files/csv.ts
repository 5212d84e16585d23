import { isUtf8 } from 'node:buffer'
import { UserError } from '../../shared/errors/user-error.ts'
import type { RowReader } from './batches.ts'
import { batches } from './batches.ts'
import { named } from './columns.ts'
import { readCsvHeader } from './csv-header.ts'
import type { CsvRecord } from './csv-records.ts'
import { CsvFaultError, CsvRecords } from './csv-records.ts'
import type { CsvLayout } from './csv-row.ts'
import { CsvRow } from './csv-row.ts'
import { holdsCells, spansOf } from './csv-spans.ts'
import { skipBlankLines } from './delimiter.ts'
import { firstInvalidByte, invalidByteText } from './invalid-byte.ts'
import type { Row, Table, TableOptions } from './row.ts'
import { maxRowBytes } from './row.ts'
import { countLines, Window } from './window.ts'

/** A table of comma-separated values (RFC 4180), from UTF-8 bytes. Fails with a UserError. */
export async function readCsv(chunks: AsyncGenerator<Buffer>, options: TableOptions): Promise<Table> {
  const { preamble, rest, layout } = await readCsvHeader(chunks, options)
  return { preamble, rows: batches(new CsvReader(layout, countLines(preamble) + 1), rest, chunks) }
}

/** Turns chunks into rows. A row waits for the start of the next one, because the blank lines between are its own. */
class CsvReader implements RowReader {
  readonly #layout: CsvLayout
  readonly #records: CsvRecords
  readonly #window = new Window()
  #waiting: CsvRecord[] = []
  #number = 1
  #line: number

  constructor(layout: CsvLayout, line: number) {
    this.#layout = layout
    this.#records = new CsvRecords(layout.delimiter)
    this.#line = line
  }

  async read(chunk: Buffer): Promise<Row[]> {
    this.#window.push(chunk)
    await this.#parse(() => this.#records.write(chunk))
    const rows = this.#handOut(this.#waiting.length - 1)
    if (this.#window.length > maxRowBytes) this.#fail('too_long')
    return rows
  }

  async end(): Promise<Row[]> {
    await this.#parse(() => this.#records.end())
    return this.#handOut(this.#waiting.length)
  }

  async #parse(step: () => Promise<void>): Promise<void> {
    try {
      await step()
    } catch (error) {
      this.#waiting = this.#waiting.concat(this.#records.take())
      if (error instanceof CsvFaultError) this.#fail(error.fault)
      throw error
    }
    this.#waiting = this.#waiting.concat(this.#records.take())
  }

  /** The first `count` of the waiting records, as rows. */
  #handOut(count: number): Row[] {
    if (count <= 0) return []
    const bytes = this.#window.bytes()
    const rows: Row[] = []
    const records = this.#waiting.slice(0, count)
    const ends = records.map(({ end }) => skipBlankLines(bytes, end - this.#window.start))
    const handed = ends.at(-1) ?? 0
    const valid = isUtf8(bytes.subarray(0, handed))
    // csv-parse takes a NUL after a closing quote for the end of the cell, and what follows it for more of the same cell.
    const suspicious = bytes.includes('"\0')
    let start = 0
    for (const [at, { fields }] of records.entries()) {
      const end = ends[at] ?? handed
      const raw = bytes.subarray(start, end)
      if (!valid && !isUtf8(raw)) this.#refuseByte(raw, fields)
      if (suspicious && !holdsCells(raw, fields, this.#layout.delimiter)) this.#fault('stray_quote')
      rows.push(new CsvRow(this.#number++, this.#line, raw, fields, this.#layout))
      this.#line += countLines(raw)
      start = end
    }
    this.#waiting = this.#waiting.slice(count)
    this.#window.dropUntil(this.#window.start + handed)
    return rows
  }

  #refuseByte(raw: Buffer, fields: readonly string[]): never {
    const at = firstInvalidByte(raw)
    const spans = spansOf(raw, fields, this.#layout.delimiter, fields.length)
    const column = this.#layout.header[spans.findIndex(({ end }) => at < end)]
    const where = column === undefined ? '' : `, column ${named(column)}`
    throw new UserError(`Row ${this.#number} (line ${this.#line})${where}: ${invalidByteText(raw[at])}`)
  }

  /** Ends the run at the row after all that are waiting. */
  #fail(fault: CsvFaultError['fault'] | 'too_long'): never {
    this.#handOut(this.#waiting.length)
    this.#fault(fault)
  }

  #fault(fault: CsvFaultError['fault'] | 'too_long'): never {
    const row = `Row ${this.#number} (line ${this.#line})`
    const mebibytes = maxRowBytes / 1024 / 1024
    const messages = {
      unclosed_quote: `${row}: a quote that opens in this row is never closed.`,
      stray_quote:
        `${row}: a quote stands where none may be. A cell with quotes in it is quoted as a whole, and its own quotes are ` +
        'doubled; nothing stands between a closing quote and the next delimiter. Or a quote that opens in this row is not closed.',
      too_long: `${row} is longer than ${mebibytes} MiB: most likely a quote that opens in this row is never closed.`,
    }
    throw new UserError(messages[fault])
  }
}
