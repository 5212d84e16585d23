/**
 * IBANs by ISO 13616: country, two check digits, national account number (BBAN). The check digits make the number
 * `BBAN ‖ country ‖ check`, its letters read as A = 10 to Z = 35, leave 1 when divided by 97 (ISO 7064 MOD 97-10).
 */
export function ibanFor(country: string, bban: string): string {
  const check = 98 - remainder97(`${bban}${country}00`)
  return `${country}${String(check).padStart(2, '0')}${bban}`
}

/** In groups of four, as on paper. */
export function spaced(iban: string): string {
  return iban.replaceAll(/.{4}(?=.)/g, '$& ')
}

function remainder97(text: string): number {
  let remainder = 0
  for (const symbol of text) {
    const value = Number.parseInt(symbol, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder
}
