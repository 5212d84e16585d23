import { z } from 'zod'
import type { RequestErrorCode } from '../errors/catalogue.ts'
import { requestErrors } from '../errors/catalogue.ts'
import * as grammar from './grammar.ts'
import { requestEnvelope } from './request.ts'

const requestCode = z.enum(Object.keys(requestErrors) as [RequestErrorCode, ...RequestErrorCode[]])

/** A job named `dead` on `dead-<queue>`: a request that was refused as a whole or given up, kept for operators. */
export const deadLetter = z.strictObject({
  v: z.literal(1),
  queue: z.enum(grammar.queues),
  code: requestCode,
  at: z.iso.datetime(),
  worker: z.string(),
  attempts: z.int().min(1),
  /** With a sealed reply; else with a hint at most. */
  answered: z.boolean(),
  /** The job's id, if it has the form of one. */
  id: grammar.requestId.nullable(),
  /** Size of the job's data. */
  bytes: z.int().min(0),
  /** The job's data, if it has the form of a sealed request. Any other could be anything, a value in the clear included. */
  request: requestEnvelope.nullable(),
})
export type DeadLetter = z.infer<typeof deadLetter>
