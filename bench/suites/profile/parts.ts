import type { Part } from '../../measure/cpu-profile.ts'
import { rest } from '../../measure/cpu-profile.ts'

export interface WorkerPart extends Part {
  /** What is in it, for the reader. */
  readonly about: string
}

export const garbage = 'garbage'
export const pipeline = 'pipeline'

/** Of V8 and the kernel first, then by whose code it is; where two own a place, the first has it. */
export const parts: readonly WorkerPart[] = [
  {
    name: garbage,
    about: 'collected by the main thread',
    places: ['native:(garbage collector)'],
  },
  {
    name: 'sending',
    about: 'system calls that write to sockets',
    places: [
      'native:writev',
      'native:writeBuffer',
      'native:writeUtf8String',
      'native:writeLatin1String',
      'native:writeAsciiString',
    ],
  },
  {
    name: 'cryptography',
    about: 'AES-GCM and its objects, hashes, random bytes',
    places: [
      'node:crypto',
      'node:internal/crypto/',
      'shared/crypto/aes-gcm.ts',
      'shared/crypto/record.ts',
      'shared/crypto/secret.ts',
    ],
  },
  {
    name: 'policy',
    about: 'opa-wasm and the policy itself',
    places: ['node_modules/@open-policy-agent/', 'wasm://wasm/opa.wasm', 'shared/policy/'],
  },
  {
    name: 'queue',
    about: 'BullMQ, ioredis, intake and settling',
    places: [
      'node_modules/bullmq/',
      'node_modules/ioredis/',
      'shared/queue/',
      'workers/ahead-of-bulk.ts',
      'workers/intake.ts',
      'workers/readable-jobs.ts',
      'workers/reply-queues.ts',
      'workers/settle.ts',
      'workers/small-requests.ts',
    ],
  },
  {
    name: 'Postgres client',
    about: 'pg, and arrays made for it',
    places: ['node_modules/pg', 'node_modules/postgres-', 'shared/db/'],
  },
  {
    name: 'Transit client',
    about: 'undici, and the JSON of calls and answers',
    places: ['node_modules/undici/', 'shared/transit/'],
  },
  {
    name: 'contract',
    about: 'zod, and the JSON and associated data of what is sealed',
    places: ['node_modules/zod/', 'shared/contract/'],
  },
  { name: pipeline, about: 'batches and stages', places: ['workers/', 'shared/'] },
]

/** Beside what the profile, which is of the main thread, can see. */
export const otherThreads = 'other threads'

/** In the order in which they are shown. */
export const shown: readonly Omit<WorkerPart, 'places'>[] = [
  { name: otherThreads, about: 'V8’s own: collecting garbage, compiling' },
  ...parts,
  { name: rest, about: 'promises, streams, the event loop' },
]
