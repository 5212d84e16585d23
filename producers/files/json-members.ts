export interface Member {
  /** Decoded: `"\u0065mail"` is `email`. */
  readonly key: string
  /** Where the value stands in the text. */
  readonly start: number
  readonly end: number
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d

/**
 * The members of a JSON object, repeated keys included, with the places of their values; JSON.parse gives neither.
 * `json` must be an object that JSON.parse accepts: nothing is checked here.
 */
export function membersOf(json: string): Member[] {
  const members: Member[] = []
  let at = json.indexOf('{') + 1
  for (;;) {
    const keyStart = skipTo(json, at, quote)
    if (keyStart < 0) return members
    const keyEnd = stringEnd(json, keyStart)
    const start = skipSpace(json, json.indexOf(':', keyEnd) + 1)
    const end = valueEnd(json, start)
    members.push({ key: decodeString(json, keyStart, keyEnd), start, end })
    at = end
  }
}

/** The string whose quotes stand at `start` and before `end`. */
export function decodeString(json: string, start: number, end: number): string {
  const plain = json.slice(start + 1, end - 1)
  return plain.includes('\\') ? (JSON.parse(json.slice(start, end)) as string) : plain
}

/** The next `wanted` within the object; -1 when it closes first. */
function skipTo(json: string, at: number, wanted: number): number {
  for (; ; at++) {
    const char = json.charCodeAt(at)
    if (char === wanted) return at
    if (char === closeBrace) return -1
  }
}

function skipSpace(json: string, at: number): number {
  while (json.charCodeAt(at) <= 0x20) at++
  return at
}

function stringEnd(json: string, start: number): number {
  for (let at = start; ; ) {
    at = json.indexOf('"', at + 1)
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at + 1
  }
}

function valueEnd(json: string, start: number): number {
  const first = json.charCodeAt(start)
  if (first === quote) return stringEnd(json, start)
  if (first === openBrace || first === openBracket) return nestedEnd(json, start)
  let at = start
  // A number, true, false or null: none has a comma, a brace or a space in it.
  for (let char = first; char > 0x20 && char !== 0x2c && char !== closeBrace; char = json.charCodeAt(at)) at++
  return at
}

function nestedEnd(json: string, start: number): number {
  let depth = 0
  for (let at = start; ; at++) {
    const char = json.charCodeAt(at)
    if (char === quote) at = stringEnd(json, at) - 1
    else if (char === openBrace || char === openBracket) depth++
    else if ((char === closeBrace || char === closeBracket) && --depth === 0) return at + 1
  }
}
