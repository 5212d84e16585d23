import { accessSync, constants, readFileSync } from 'node:fs'
import { exitCodes, UserError } from '../errors/user-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads settings from an environment and collects what is wrong with them, so that all of it can be said at once.
 * A bad value is never replaced by a default.
 */
export class EnvironmentReader {
  #env: Environment
  readonly #problems: string[] = []

  constructor(env: Environment) {
    this.#env = env
  }

  problem(text: string): void {
    this.#problems.push(text)
  }

  /** The first of these variables that is set; an empty one counts as not set. */
  optional(...names: string[]): string | undefined {
    const name = this.#firstSet(names)
    return name && this.#env[name]
  }

  /** What counts where the variable is not set. */
  standIn(name: string, value: string | undefined): void {
    if (this.optional(name) === undefined) this.#env = { ...this.#env, [name]: value }
  }

  required(names: string | string[], meaning: string): string {
    const [name = '', ...others] = [names].flat()
    const value = this.optional(name, ...others)
    if (value === undefined) this.problem(`${name} is not set: ${meaning}`)
    return value ?? ''
  }

  /** The path of a file that can be read and has something in it, if the variable is set. */
  file(...names: string[]): string | undefined {
    const name = this.#firstSet(names)
    const path = name && this.#env[name]
    try {
      if (path && readFileSync(path, 'utf8').trim() === '') this.problem(`${name} names a file that is empty`)
    } catch {
      this.problem(`${name} names a file that cannot be read`)
    }
    return path
  }

  requiredFile(name: string, meaning: string): string {
    this.required(name, meaning)
    return this.file(name) ?? ''
  }

  /** A problem if the variable is set, and names neither a file nor a directory that can be read. */
  readable(name: string): void {
    if (!isReadable(this.optional(name) ?? '.')) this.problem(`${name} names no file or directory that can be read`)
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

  seconds(name: string, fallback: number): number {
    const digits = this.matching(name, /^[1-9][0-9]{0,8}$/, 'a whole number of seconds, at least 1', String(fallback))
    return Number(digits)
  }

  /** The settings, frozen; or every problem at once, as one error with exit code 2. */
  finish<T extends object>(settings: T): Readonly<T> {
    if (this.#problems.length === 0) {
      for (const group of Object.values(settings)) Object.freeze(group)
      return Object.freeze(settings)
    }
    const list = this.#problems.map((problem) => `\n  - ${problem}`).join('')
    throw new UserError(`The settings cannot be used:${list}\nThe README's table lists every setting.`, exitCodes.usage)
  }

  #firstSet(names: readonly string[]): string | undefined {
    return names.find((name) => (this.#env[name] ?? '') !== '')
  }
}

export function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
