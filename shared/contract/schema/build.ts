/**
 * Makes the documents of the wire contract in docs/contract from the schemas and the catalogue that the code uses.
 * With --check it writes nothing, and fails if a committed one differs.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { contractDirectory, contractDocuments } from './documents.ts'

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
for (const [name, text] of contractDocuments()) {
  const file = join(contractDirectory, name)
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) continue
  if (values.check) {
    console.error(`docs/contract/${name} differs from what the code says: run shared/contract/schema/build.ts`)
    process.exitCode = 1
  } else {
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
    console.log(`wrote docs/contract/${name}`)
  }
}
