import { emailFor } from './contact.ts'
import type { Country } from './countries/index.ts'
import { countries } from './countries/index.ts'
import { ibanFor, spaced } from './iban.ts'
import { notes } from './notes.ts'
import type { Random } from './random.ts'

export const columns = [
  'customer_id',
  'name',
  'email',
  'phone',
  'birth_date',
  'iban',
  'address',
  'country',
  'plan',
  'signup_date',
  'balance',
  'notes',
] as const

export type Customer = Record<(typeof columns)[number], string>

const dayMs = 86_400_000
const firstSignup = Date.UTC(2012, 0, 1) / dayMs
/** The last day the data knows of, so that it does not depend on today. */
const lastSignup = Date.UTC(2026, 5, 30) / dayMs

export function randomCustomer(random: Random, number: number): Customer {
  const country = random.pick(countries)
  const signup = random.between(firstSignup, lastSignup)
  const birthDate = dateOf(signup - ageInDays(random))
  const { name, email } = identity(random, country, birthDate.slice(0, 4))
  return {
    customer_id: `cust-${String(number).padStart(7, '0')}`,
    name,
    email: mostly(random, 0.98, email),
    phone: mostly(random, 0.96, random.fill(random.pick(country.phones))),
    birth_date: mostly(random, 0.97, birthDate),
    iban: mostly(random, 0.95, iban(random, country)),
    address: mostly(random, 0.98, address(random, country)),
    country: country.code,
    plan: random.pick(['free', 'free', 'basic', 'basic', 'plus', 'business']),
    signup_date: dateOf(signup),
    balance: random.chance(0.1) ? '0.00' : (random.between(-50_000, 500_000) / 100).toFixed(2),
    notes: mostly(random, 0.4, random.pick(notes)),
  }
}

function identity(random: Random, country: Country, birthYear: string): { name: string; email: string } {
  const { given, family } = random.pick(country.people)
  const [first, last] = [random.pick(given), random.pick(family)]
  const template = random.chance(0.6) ? country.names[0] : undefined
  const name = expand(template ?? random.pick(country.names), {
    given: first.text,
    given2: another(random, given, first).text,
    family: last.text,
    family2: another(random, family, last).text,
  })
  return {
    // Some systems hand on names with their accents as characters of their own.
    name: random.chance(0.02) ? name.normalize('NFD') : name,
    email: emailFor(random, first, last, birthYear),
  }
}

function address(random: Random, country: Country): string {
  const { city, postcode, region } = random.pick(country.cities)
  return expand(random.fill(random.pick(country.addresses)), {
    street: random.pick(country.streets),
    no: String(random.between(1, 199)),
    flat: String(random.between(1, 99)),
    postcode: random.fill(postcode),
    city,
    region,
  })
}

function iban(random: Random, { code, bban }: Country): string {
  if (bban === undefined) return ''
  const compact = ibanFor(code, random.fill(bban))
  return random.chance(0.3) ? spaced(compact) : compact
}

/** From 18 to 90 years, the middle ages more often. */
function ageInDays(random: Random): number {
  return Math.floor((18 + 36 * (random.next() + random.next())) * 365.25) + 1
}

/** A century has 36,525 days: each is written out once. */
const dates = new Map<number, string>()

function dateOf(day: number): string {
  const known = dates.get(day)
  if (known !== undefined) return known
  const date = new Date(day * dayMs).toISOString().slice(0, 10)
  dates.set(day, date)
  return date
}

function mostly(random: Random, probability: number, text: string): string {
  return random.chance(probability) ? text : ''
}

function another<T>(random: Random, choices: readonly T[], than: T): T {
  const choice = random.pick(choices)
  return choice === than ? (choices[(choices.indexOf(than) + 1) % choices.length] ?? than) : choice
}

function expand(template: string, parts: Record<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, part: string) => parts[part] ?? '')
}
