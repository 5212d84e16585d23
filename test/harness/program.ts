import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The command `pii-vault`. */
export const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))

const [firstLine = ''] = readFileSync(program, 'utf8').split('\n', 1)

/**
 * What the kernel gives Node from the program's first line. Whoever starts it by Node's own path, so that it is the same Node
 * and no shell is between, gives these as well: what is tested and measured is then what users run.
 */
export const programFlags = firstLine.split(' ').filter((word) => word.startsWith('--'))

/** The same of the environment's variables that the line sets. */
export const programEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  firstLine.split(' ').flatMap((word) => {
    const [name = '', value] = word.split('=')
    return /^[A-Z_]+$/.test(name) && value !== undefined ? [[name, value]] : []
  }),
)
