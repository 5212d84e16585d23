import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { queues } from '../../../../shared/contract/grammar.ts'
import { decodeBase64 } from '../../../../shared/contract/seal.ts'
import { aesKey } from '../../../../shared/crypto/aes-gcm.ts'
import type { Transit } from '../../../../shared/transit/index.ts'

// The form of the files in test/vectors, which test/interop/make_vectors.py writes. README.md there explains it.

const bytes = z.string().transform((text) => decodeBase64(text) ?? z.NEVER)
/** What OpenBao holds: the one wrapped key that opens, under which name and associated data, and to what. */
const session = z.object({ transit_key: z.string(), associated_data: bytes, ciphertext: z.string(), plaintext: bytes })
export type HeldSession = z.infer<typeof session>

const common = { about: z.string(), verdict: z.string(), opens_to: z.unknown().optional() }
const schemas = {
  request: z.object({
    ...common,
    queue: z.enum(queues),
    now: z.int(),
    job: z.object({ name: z.string(), id: z.string() }),
    data: z.unknown(),
    session,
    code: z.string().optional(),
    answer: z.enum(['sealed', 'hint', 'none']).optional(),
    /** For each item the code that it gets whatever the vault holds, or null. */
    items: z.array(z.string().nullable()).optional(),
  }),
  reply: z.object({
    ...common,
    actor: z.string(),
    ticket: z.object({
      queue: z.enum(queues),
      id: z.string(),
      request: z.string(),
      items: z.int(),
      reply: z.string(),
      exp: z.int(),
    }),
    data: z.unknown(),
    session,
  }),
  hint: z.object({ ...common, data: z.unknown() }),
  record: z.object({
    ...common,
    dek: bytes,
    label: z.object({ tenant: z.string(), field: z.string(), subject: z.string(), token: z.string() }),
    ciphertext: bytes,
  }),
} as const
export type Vector<Kind extends keyof typeof schemas> = z.infer<(typeof schemas)[Kind]>

export const vectorsDirectory = fileURLToPath(new URL('../../../vectors', import.meta.url))

/** All vectors of a kind, by the names of their files. */
export function readVectors<Kind extends keyof typeof schemas>(kind: Kind): [string, Vector<Kind>][] {
  const directory = join(vectorsDirectory, kind)
  return readdirSync(directory)
    .sort()
    .map((file) => {
      const content: unknown = JSON.parse(readFileSync(join(directory, file), 'utf8'))
      return [file.replace(/\.json$/, ''), schemas[kind].parse(content) as Vector<Kind>]
    })
}

/** A Transit that can unwrap one session key, and refuses everything else as OpenBao does. */
export function transitHolding(held: HeldSession): Transit {
  const sessionKey: Transit['sessionKey'] = async (key, wrapped, associatedData) =>
    key === held.transit_key && wrapped === held.ciphertext && associatedData.equals(held.associated_data)
      ? aesKey(Buffer.from(held.plaintext))
      : undefined
  // Only what opening needs: nothing here talks to a server.
  return { sessionKey } as Transit
}
