import { z } from 'zod'
import { detokReplyBody, hint, replyEnvelope, tokenizeReplyBody } from '../reply.ts'
import { detokBody, requestEnvelope, tokenizeBody } from '../request.ts'
import { descriptions } from './descriptions.ts'

/** JSON Schema, draft 07: what AsyncAPI 3 speaks by itself, and every validator knows. */
export type JsonSchema = { [member: string]: unknown }

const documents: Record<string, { title: string; schema: z.ZodType }> = {
  request: { title: 'Request, as it lies on the queue', schema: requestEnvelope },
  'detok-body': { title: 'What the body of a detok request opens to', schema: detokBody },
  'tokenize-body': { title: 'What the body of a tokenize request opens to', schema: tokenizeBody },
  reply: { title: 'Reply, as it lies on the reply queue', schema: replyEnvelope },
  'detok-reply-body': { title: 'What the body of a reply to detok opens to', schema: detokReplyBody },
  'tokenize-reply-body': { title: 'What the body of a reply to tokenize opens to', schema: tokenizeReplyBody },
  hint: { title: 'Hint: the request could not be opened', schema: hint },
}

/** The JSON Schemas of the contract by name, made from the schemas that the code itself checks with. */
export function jsonSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(documents).map(([name, { title, schema }]) => [name, make(name, title, schema)]),
  )
}

function make(name: string, title: string, schema: z.ZodType): JsonSchema {
  const { $schema, ...made } = z.toJSONSchema(schema, {
    target: 'draft-07',
    override: ({ jsonSchema }) => makePortable(jsonSchema),
  })
  const texts = descriptions[name] ?? {}
  const members = describe(made, texts)
  const described = Object.keys(texts)
  const odd = [
    ...members.filter((name) => !described.includes(name)),
    ...described.filter((name) => !members.includes(name)),
  ]
  if (odd.length > 0) throw new Error(`descriptions.ts and the schema ${name} differ in: ${odd.join(', ')}`)
  return { $schema, title, ...made }
}

/** Puts the descriptions on the members of a schema, and answers the names of all of them: `items.token` is a token of the items. */
function describe(schema: unknown, texts: Record<string, string>, path: readonly string[] = []): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, child]: [string, unknown]) => {
    if (key !== 'properties') return describe(child, texts, path)
    return Object.entries(child as Record<string, JsonSchema>).flatMap(([member, property]) => {
      const name = [...path, member]
      const description = texts[name.join('.')]
      const below = describe(property, texts, name)
      if (description !== undefined) property['description'] = description
      return [name.join('.'), ...below]
    })
  })
}

/**
 * A grammar matches whole strings. In many languages `$` also matches before a final line break, and `\p{…}` is unknown
 * to some, so the schemas say it in words that mean the same everywhere: what must not occur, and how long it may be.
 */
function makePortable(schema: JsonSchema): void {
  if (schema['pattern'] === undefined) return
  if (schema['pattern'] === '^[^\\p{Cc}\\p{Cs}]{0,256}$') {
    // Lone surrogates have no words in JSON Schema: they are said in the description, and a test vector has one.
    delete schema['pattern']
    schema['maxLength'] = 256
    schema['not'] = { pattern: '[\u0000-\u001f\u007f-\u009f]' }
  } else {
    schema['not'] = { pattern: '[^!-~]' }
  }
}
