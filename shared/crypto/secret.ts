import { inspect } from 'node:util'

/**
 * A value or a key that prints nothing: not by `console.log`, template strings, JSON, a logger or an error text.
 * Only `reveal()` gives it out, so each place that opens one can be found by name.
 */
export class Secret<T extends string | Buffer = string> {
  readonly #content: T

  constructor(content: T) {
    this.#content = content
  }

  reveal(): T {
    return this.#content
  }

  /** Overwrites a key's bytes with zeros. Strings are immutable in JavaScript, so only bytes can be wiped. */
  wipe(): void {
    if (Buffer.isBuffer(this.#content)) this.#content.fill(0)
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
