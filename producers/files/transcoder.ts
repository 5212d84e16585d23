import { UserError } from '../../shared/errors/user-error.ts'

export interface Decoder {
  /** Its canonical name, such as `windows-1252` for `latin1`. */
  readonly encoding: string
  /** UTF-8 for the next bytes; a character cut in two waits for the rest of it, in vain when they are the last. */
  decode(bytes: Buffer, last: boolean): Buffer
}

export class Transcoder implements Decoder {
  readonly encoding: string
  readonly #strict: TextDecoder
  /** A strict decoder does not say where it failed. This one goes on, and leaves a mark at the place. */
  readonly #lenient: TextDecoder
  #line = 1

  constructor(encoding: string) {
    this.encoding = encoding
    this.#strict = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
    this.#lenient = new TextDecoder(encoding, { ignoreBOM: true })
  }

  /** Fails with a UserError that names the line of bytes that are not in this encoding. */
  decode(bytes: Buffer, last: boolean): Buffer {
    const text = this.#lenient.decode(bytes, { stream: !last })
    try {
      this.#strict.decode(bytes, { stream: !last })
    } catch {
      const line = this.#line + linesIn(text.slice(0, text.indexOf('\ufffd')))
      throw new UserError(`Line ${line} of the file is not valid ${this.encoding}: check --encoding.`)
    }
    this.#line += linesIn(text)
    return Buffer.from(text)
  }
}

function linesIn(text: string): number {
  return text.split('\n').length - 1
}
