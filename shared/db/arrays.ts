/*
 * One-dimensional arrays as Postgres takes them in binary (`array_recv` in src/backend/utils/adt/arrayfuncs.c). pg sends a
 * Buffer as it is, and an array as text, escaping each element; as text, a bytea has twice its size, and both ends spend
 * several times as long on it.
 *
 * Layout, integers big-endian and of 4 bytes:
 *   dimensions (1; 0 for an empty array) ‖ 1 if there are nulls ‖ oid of the element's type ‖ elements ‖ lower bound (1)
 *   and for each element its length in bytes (-1 for null) ‖ its bytes
 */

/** An element type: its oid in pg_type.dat, and how a value is written. */
interface ElementType<T> {
  readonly oid: number
  readonly bytes: (value: T) => number
  readonly write: (value: T, to: Buffer, at: number) => void
}

const uuid: ElementType<Buffer> = { oid: 2950, bytes: sixteen, write: copy }
const bytea: ElementType<Buffer> = { oid: 17, bytes: (value) => value.length, write: copy }
const text: ElementType<string> = {
  oid: 25,
  bytes: (it) => Buffer.byteLength(it),
  write: (it, to, at) => to.write(it, at),
}
const int4: ElementType<number> = { oid: 23, bytes: () => 4, write: (value, to, at) => to.writeInt32BE(value, at) }
const int2: ElementType<number> = { oid: 21, bytes: () => 2, write: (value, to, at) => to.writeInt16BE(value, at) }

type Values<T> = readonly (T | undefined)[]

/** `uuid[]`, of 16 bytes each. */
export const uuids = (values: Values<Buffer>): Buffer => encode(uuid, values)
export const byteas = (values: Values<Buffer>): Buffer => encode(bytea, values)
export const texts = (values: Values<string>): Buffer => encode(text, values)
export const integers = (values: Values<number>): Buffer => encode(int4, values)
export const smallints = (values: Values<number>): Buffer => encode(int2, values)

const headerBytes = 20

function encode<T>({ oid, bytes, write }: ElementType<T>, values: Values<T>): Buffer {
  let length = headerBytes
  let nulls = 0
  for (const value of values) {
    length += 4
    if (value === undefined) nulls = 1
    else length += bytes(value)
  }
  const array = Buffer.allocUnsafe(length)
  array.writeInt32BE(values.length === 0 ? 0 : 1, 0)
  array.writeInt32BE(nulls, 4)
  array.writeInt32BE(oid, 8)
  if (values.length === 0) return array.subarray(0, 12)
  array.writeInt32BE(values.length, 12)
  array.writeInt32BE(1, 16)
  let at = headerBytes
  for (const value of values) {
    const size = value === undefined ? -1 : bytes(value)
    array.writeInt32BE(size, at)
    at += 4
    if (value === undefined) continue
    write(value, array, at)
    at += size
  }
  return array
}

/** The array's memory is not cleared: what is shorter would carry whatever stood there before into the database. */
function sixteen({ length }: Buffer): number {
  if (length !== 16) throw new RangeError(`a uuid has 16 bytes, not ${length}`)
  return length
}

function copy(value: Buffer, to: Buffer, at: number): void {
  value.copy(to, at)
}
