import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs'
import type { ServiceRecord } from './state.ts'

const tailBytes = 8_192
const tailLines = 15

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** What a server has written since, its last lines only, without the stack's own secrets. */
export function logTail(file: string, since: number, record: ServiceRecord): string {
  if (logSize(file) <= since) return ''
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(since, size - tailBytes)
    const buffer = Buffer.alloc(size - from)
    const length = readSync(descriptor, buffer, 0, buffer.length, from)
    return withoutSecrets(buffer.toString('utf8', 0, length), record)
      .trimEnd()
      .split('\n')
      .slice(-tailLines)
      .join('\n')
  } finally {
    closeSync(descriptor)
  }
}

// Valkey, for one, quotes the line of its configuration that it does not like.
function withoutSecrets(text: string, record: ServiceRecord): string {
  const secrets = [record.password, record.keys?.unsealKey, record.keys?.rootToken]
  return secrets.reduce<string>((clean, secret) => (secret ? clean.replaceAll(secret, '[secret]') : clean), text)
}
