import { randomBytes } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Redis } from 'ioredis'

/*
 * A canary is a text that occurs nowhere else, put into every value that is to stay secret. It is looked for in every
 * form in which a careless program could keep it. It is no plain ASCII, so that the forms differ.
 */

export function newCanary(name: string): string {
  return `${name}${randomBytes(8).toString('hex')}ö&"${randomBytes(8).toString('hex')}`
}

export type Forms = ReadonlyMap<string, Buffer>

/** The canary in every form, and its first part alone, which a cut-off text would still hold. */
export function formsOf(canary: string): Forms {
  const part = canary.slice(0, canary.indexOf('ö'))
  return new Map([...encodings(canary), ...encodings(part).map(([name, form]) => [`cut off, ${name}`, form] as const)])
}

function encodings(text: string): [string, Buffer][] {
  const utf8 = Buffer.from(text)
  const hex = utf8.toString('hex')
  const utf16 = Buffer.from(text, 'utf16le')
  const json = JSON.stringify(text).slice(1, -1)
  return [
    ['UTF-8', utf8],
    ['Latin-1', Buffer.from(text, 'latin1')],
    ['UTF-16LE', utf16],
    ['UTF-16BE', Buffer.from(utf16).swap16()],
    ['JSON', Buffer.from(json)],
    ['JSON in ASCII', Buffer.from(json.replaceAll('ö', '\\u00f6'))],
    ['URL', Buffer.from(encodeURIComponent(text))],
    ['percent', Buffer.from(hex.replace(/../g, '%$&'))],
    ['hex', Buffer.from(hex)],
    ['HEX', Buffer.from(hex.toUpperCase())],
    ...[0, 1, 2].flatMap((offset): [string, Buffer][] => [
      [`base64 +${offset}`, Buffer.from(base64(utf8, offset))],
      [`base64url +${offset}`, Buffer.from(base64(utf8, offset).replaceAll('+', '-').replaceAll('/', '_'))],
    ]),
  ]
}

/** What base64 makes of the bytes wherever they stand in a text: the digits that depend on their neighbours are left out. */
function base64(bytes: Buffer, offset: number): string {
  const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
  return shifted.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6))
}

/** `place: form`, for each form that these bytes hold. */
export function search(forms: Forms, place: string, content: Buffer | string): string[] {
  const bytes = Buffer.from(content)
  return [...forms].filter(([, form]) => bytes.includes(form)).map(([name]) => `${place}: ${name}`)
}

/** Every file below a directory. */
export async function searchFiles(forms: Forms, directory: string): Promise<{ found: string[]; bytes: number }> {
  const found: string[] = []
  let bytes = 0
  for (const name of await readdir(directory, { recursive: true })) {
    const path = join(directory, name)
    if (!(await stat(path).catch(() => undefined))?.isFile()) continue
    const content = await readFile(path)
    bytes += content.length
    found.push(...search(forms, name, content))
  }
  return { found, bytes }
}

const readers: Record<string, (key: Buffer) => [string, ...(string | Buffer)[]]> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, '0', '-1'],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
}

/** Every key and all it holds. */
export async function searchKeys(forms: Forms, redis: Redis): Promise<{ found: string[]; keys: number }> {
  const found: string[] = []
  const keys = (await redis.callBuffer('KEYS', '*')) as Buffer[]
  for (const key of keys) {
    const type = await redis.type(key)
    const read = readers[type]
    if (read === undefined) {
      if (type === 'none') continue // it expired meanwhile
      throw new Error(`no reader for a ${type}`)
    }
    const content = flatten(await redis.callBuffer(...read(key)))
    found.push(...search(forms, key.toString(), Buffer.concat([key, ...content])))
  }
  return { found, keys: keys.length }
}

function flatten(answer: unknown): Buffer[] {
  if (Array.isArray(answer)) return answer.flatMap(flatten)
  return Buffer.isBuffer(answer) ? [answer, Buffer.from('\n')] : []
}
