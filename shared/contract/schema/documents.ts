import { fileURLToPath } from 'node:url'
import { asyncApiDocument } from './asyncapi.ts'
import { codesDocument } from './codes.ts'
import { jsonSchemas } from './json-schemas.ts'

export const contractDirectory = fileURLToPath(new URL('../../../docs/contract', import.meta.url))

const json = (content: object): string => `${JSON.stringify(content, null, 2)}\n`

/** The documents that are made, not written: their text by path under docs/contract. */
export function contractDocuments(): Map<string, string> {
  const schemas = Object.entries(jsonSchemas()).map(([name, schema]): [string, string] => [
    `schemas/${name}.json`,
    json(schema),
  ])
  return new Map([...schemas, ['asyncapi.json', json(asyncApiDocument())], ['codes.md', codesDocument()]])
}
