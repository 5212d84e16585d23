/** The part of the input that was read and not yet handed out. Positions count from the first byte ever pushed. */
export class Window {
  #chunks: Buffer[] = []
  #start = 0
  #length = 0

  get start(): number {
    return this.#start
  }

  get length(): number {
    return this.#length
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
  }

  /** All of it in one piece. */
  bytes(): Buffer {
    const [first, ...others] = this.#chunks
    if (first && others.length === 0) return first
    const bytes = Buffer.concat(this.#chunks)
    this.#chunks = [bytes]
    return bytes
  }

  /** Gives up what stands before `position`. */
  dropUntil(position: number): void {
    const rest = this.bytes().subarray(position - this.#start)
    this.#chunks = [rest]
    this.#start = position
    this.#length = rest.length
  }
}

/** How many lines end in `bytes`. */
export function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) count++
  return count
}
