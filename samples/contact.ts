import type { Name } from './countries/index.ts'
import type { Random } from './random.ts'

/** Domains that RFC 2606 and RFC 6761 keep from ever being anyone's. */
const domains = [
  'example.com',
  'example.com',
  'example.org',
  'example.net',
  'mail.example',
  'post.example',
  'correo.example',
  'big-company.example',
  'xn--bcher-kva.example',
] as const

/** An address as its owner would choose it, from a given and a family name and a year of birth. */
export function emailFor(random: Random, given: Name, family: Name, year: string): string {
  return `${localPart(random, given, family, year)}@${random.pick(domains)}`
}

function localPart(random: Random, given: Name, family: Name, year: string): string {
  const [first, last] = [given.latin, family.latin]
  switch (random.between(0, 8)) {
    case 0:
      return `${first.charAt(0)}.${last}`
    case 1:
      return `${last}.${first}`
    case 2:
      return `${first}${last}${year.slice(2)}`
    case 3:
      return `${first}_${last}${random.between(1, 99)}`
    case 4:
      return `${first}.${last}+${random.pick(['shop', 'news', 'bank'])}`
    case 5:
      return `${capitalized(first)}.${capitalized(last)}`
    case 6:
      // RFC 6531: any letters.
      return random.chance(0.2) ? `${given.text}.${family.text}`.replaceAll(/[ '’ʻ]/g, '') : `${first}${year}`
    default:
      return `${first}.${last}`
  }
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
