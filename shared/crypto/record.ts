import { isUtf8 } from 'node:buffer'
import { recordAad } from '../contract/associated-data.ts'
import { open, seal } from './aes-gcm.ts'
import { Secret } from './secret.ts'

/*
 * The envelope of one record: its value under its own data key (DEK).
 *
 * Plaintext:  value (UTF-8) ‖ 0x80 ‖ zeros up to a multiple of 32 bytes (ISO/IEC 7816-4), so that the length of a
 *             ciphertext says little about the length of the value.
 * AAD:        pii1, record, tenant, field, subject, token: a ciphertext moved to another row, or a row relabelled,
 *             does not open.
 * Nonce:      random, as in aes-gcm.ts; a DEK seals exactly one value.
 */
const blockBytes = 32
const marker = 0x80

export interface RecordLabel {
  readonly tenant: string
  readonly field: string
  readonly subject: string
  readonly token: string
}

/** Encrypts a value under its DEK (32 bytes). The DEK stays the caller's to wipe. */
export function sealRecord(dek: Buffer, value: Secret, label: RecordLabel): Buffer {
  const plaintext = pad(value.reveal())
  try {
    return seal(dek, plaintext, aadOf(label))
  } finally {
    plaintext.fill(0)
  }
}

/** The value, or undefined if the ciphertext does not belong to this key and label. */
export function openRecord(dek: Buffer, ciphertext: Buffer, label: RecordLabel): Secret | undefined {
  if (dek.length !== blockBytes) return undefined
  const plaintext = open(dek, ciphertext, aadOf(label))
  if (plaintext === undefined) return undefined
  const end = plaintext.lastIndexOf(marker)
  const value = plaintext.subarray(0, end)
  const whole = end >= 0 && plaintext.subarray(end + 1).every((byte) => byte === 0) && isUtf8(value)
  const text = whole ? new Secret(value.toString('utf8')) : undefined
  plaintext.fill(0)
  return text
}

const aadOf = ({ tenant, field, subject, token }: RecordLabel): Buffer => recordAad(tenant, field, subject, token)

function pad(value: string): Buffer {
  const length = Buffer.byteLength(value)
  const padded = Buffer.alloc((Math.floor(length / blockBytes) + 1) * blockBytes)
  padded.write(value)
  padded[length] = marker
  return padded
}
