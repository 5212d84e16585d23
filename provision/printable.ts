/**
 * A server's text as a terminal may show it: at most so many characters, and whatever could move the cursor, hide text or turn
 * it round (controls, bidirectional marks, line separators) as its code point.
 */
export function printable(text: string, most: number): string {
  const characters = [...text]
  const shown = characters.slice(0, most).join('') + (characters.length > most ? '…' : '')
  return shown.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, (each) => `\\u{${(each.codePointAt(0) as number).toString(16)}}`)
}
