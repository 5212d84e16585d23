import { readFileSync } from 'node:fs'
import { z } from 'zod'

/** A statement from `sql/`, with the shape of the rows it answers. Prepared under its file's name. */
export interface Statement<Row> {
  readonly name: string
  readonly text: string
  readonly rows: z.ZodType<Row[]>
}

function statement<Row>(name: string, row: z.ZodType<Row>): Statement<Row> {
  const text = readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8')
  return { name, text, rows: z.array(row) }
}

/** 1-based place of the row's subject in the arrays that were sent. */
const position = z.int().min(1)
const bytes = z.instanceof(Buffer<ArrayBufferLike>)

export const lookup = statement(
  'lookup',
  z.object({
    position,
    field: z.string(),
    subject: z.string(),
    ct: bytes.nullable(),
    wdek: z.string().nullable(),
    kek_version: z.int().nullable(),
    bytes: z.int(),
  }),
)
export const conflicts = statement('conflicts', z.object({ position }))
export const store = statement('store', z.object({ token: z.string() }))
export const stored = statement('stored', z.object({ position, token: z.string() }))
export const audit = statement('audit', z.object({}))
