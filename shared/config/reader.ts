import { readFileSync } from 'node:fs'
import { exitCodes, UserError } from '../errors/user-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads settings from an environment and collects what is wrong with them, so that all of it can be said at once.
 * A bad value is never replaced by a default.
 */
export class EnvironmentReader {
  readonly #env: Environment
  readonly #problems: string[] = []

  constructor(env: Environment) {
    this.#env = env
  }

  problem(text: string): void {
    this.#problems.push(text)
  }

  /** The first of these variables that is set; an empty one counts as not set. */
  optional(...names: string[]): string | undefined {
    const name = names.find((candidate) => this.#isSet(candidate))
    return name === undefined ? undefined : this.#env[name]
  }

  required(names: string | string[], meaning: string): string {
    const [name = '', ...others] = [names].flat()
    const value = this.optional(name, ...others)
    if (value === undefined) this.problem(`${name} is not set: ${meaning}`)
    return value ?? ''
  }

  /** The path of a file that can be read, if the variable is set. */
  file(...names: string[]): string | undefined {
    const path = this.optional(...names)
    try {
      if (path !== undefined) readFileSync(path)
    } catch {
      this.problem(`${names[0]} names a file that cannot be read`)
    }
    return path
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const value = this.optional(name)
    if (value === undefined) return fallback
    const found = allowed.find((candidate) => candidate === value)
    if (found === undefined) this.problem(`${name} must be one of ${allowed.join(', ')}`)
    return found ?? fallback
  }

  matching(name: string, pattern: RegExp, meaning: string, fallback: string): string {
    const value = this.optional(name)
    if (value === undefined) return fallback
    if (!pattern.test(value)) this.problem(`${name} must be ${meaning}`)
    return value
  }

  /** The settings, frozen; or every problem at once, as one error with exit code 2. */
  finish<T extends object>(settings: T): Readonly<T> {
    if (this.#problems.length === 0) {
      for (const group of Object.values(settings)) Object.freeze(group)
      return Object.freeze(settings)
    }
    const list = this.#problems.map((problem) => `\n  - ${problem}`).join('')
    throw new UserError(
      `the configuration is not usable:${list}\nThe README's table lists every setting.`,
      exitCodes.usage,
    )
  }

  #isSet(name: string): boolean {
    return (this.#env[name] ?? '') !== ''
  }
}
