import { CsvError, Parser } from 'csv-parse'
import { parse } from 'csv-parse/sync'

/**
 * The syntax of CSV is ASCII, so it is parsed as Latin-1, one character a byte: positions are positions in the file, a
 * cell's bytes are not lost when they are no UTF-8, and only the cells that are looked at need decoding.
 */
export interface CsvRecord {
  /** Their bytes as Latin-1. */
  readonly fields: string[]
  /** Where its line ending ends, in bytes from the first byte written. */
  readonly end: number
}

export type CsvFault = 'unclosed_quote' | 'stray_quote'

/** Thrown by the functions here, in place of csv-parse's errors: their texts quote the input. */
export class CsvFaultError extends Error {
  readonly fault: CsvFault

  constructor(fault: CsvFault) {
    super(fault)
    this.fault = fault
  }
}

function optionsFor(delimiter: string) {
  return {
    encoding: 'latin1' as const,
    delimiter,
    // Both, so that files that mix them are read as they are. A lone CR is a character like any other.
    record_delimiter: ['\r\n', '\n'],
    skip_empty_lines: true,
    // Rows of the wrong length are the caller's to report, each with its number.
    relax_column_count: true,
  }
}

/** The cells, as Latin-1, of the one record that `header` holds. Fails with a CsvFaultError. */
export function parseHeader(header: Buffer, delimiter: string): string[] {
  try {
    const [names, ...others] = parse(header, optionsFor(delimiter))
    if (names && others.length === 0) return names
  } catch (error) {
    throw faultOf(error)
  }
  throw new CsvFaultError('stray_quote')
}

/**
 * csv-parse, driven a chunk at a time: what a chunk completes is there when its write is done. A record comes with
 * its end in the file, so that the caller can keep the bytes as they were; csv-parse has only the values.
 */
export class CsvRecords {
  readonly #parser: Parser
  #found: CsvRecord[] = []

  constructor(delimiter: string) {
    this.#parser = new Parser({
      ...optionsFor(delimiter),
      on_record: (fields: string[], { bytes }) => {
        this.#found.push({ fields, end: bytes })
        return undefined
      },
    })
    // Every failure also reaches the callback of the write that it came from.
    this.#parser.on('error', () => {})
  }

  /** Fails with a CsvFaultError; what was found before the fault can still be taken. */
  async write(chunk: Buffer): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#parser.write(chunk, (error) => (error ? reject(faultOf(error)) : resolve()))
    })
  }

  /** The last record may have no line ending: it is complete now. Fails with a CsvFaultError. */
  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#parser.end((error?: Error | null) => (error ? reject(faultOf(error)) : resolve()))
    })
  }

  /** The records found since the last call. */
  take(): CsvRecord[] {
    const found = this.#found
    this.#found = []
    return found
  }
}

function faultOf(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') return new CsvFaultError('unclosed_quote')
  // Its code is INVALID_OPENING_QUOTE without the prefix; the types know only the documented one.
  if (error.code === 'CSV_INVALID_CLOSING_QUOTE' || error.code.endsWith('INVALID_OPENING_QUOTE'))
    return new CsvFaultError('stray_quote')
  return new Error(`csv-parse failed with ${error.code}`)
}
