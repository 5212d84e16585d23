/** What customers of a country are made of. Patterns have `#` for a digit and `@` for a capital letter. */
export interface Country {
  /** ISO 3166-1 alpha-2. */
  readonly code: string
  /** Who share forms of names: where family names differ by gender, there are two. */
  readonly people: readonly People[]
  /** Templates of `{given}`, `{given2}`, `{family}`, `{family2}`. The first is the usual one. */
  readonly names: readonly string[]
  readonly streets: readonly string[]
  readonly cities: readonly City[]
  /** Templates of `{street}`, `{no}`, `{flat}`, `{postcode}`, `{city}`, `{region}`; `\n` is a line break in the cell. */
  readonly addresses: readonly string[]
  /**
   * Patterns from ranges that the regulator keeps free for fiction, where it keeps any. Elsewhere, and as far as is
   * known, of numbers that the numbering plan gives to no one, such as local ones that begin with 0.
   */
  readonly phones: readonly string[]
  /** The pattern of a national account number, with invented bank codes; absent where there are no IBANs. */
  readonly bban?: string
}

export interface People {
  readonly given: readonly Name[]
  readonly family: readonly Name[]
}

export interface Name {
  readonly text: string
  /** As it stands in an e-mail address: `a` to `z` only. */
  readonly latin: string
}

export interface City {
  readonly city: string
  readonly postcode: string
  readonly region: string
}

/** Names parted by commas, with the Latin form after `=` where the script is another: `Olga, 山田=yamada`. */
export function people(given: string, family: string): People {
  return { given: list(given).map(name), family: list(family).map(name) }
}

/** Cities parted by semicolons: `city|postcode pattern|region`, the last two where there are any. */
export function cities(text: string): City[] {
  return text.split(';').map((entry) => {
    const [city = '', postcode = '', region = ''] = entry.trim().split('|')
    return { city, postcode, region }
  })
}

export function list(text: string): string[] {
  return text.split(',').map((entry) => entry.trim())
}

function name(entry: string): Name {
  const [text = '', latin = toLatin(text)] = entry.split('=')
  return { text, latin }
}

/** Letters that are no base letter with a mark. */
const letters = new Map(Object.entries({ ß: 'ss', æ: 'ae', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ŋ: 'n' }))

function toLatin(text: string): string {
  const bases = [...text.toLowerCase().normalize('NFD')].map((letter) => letters.get(letter) ?? letter)
  return bases.join('').replaceAll(/[^a-z]/g, '')
}
