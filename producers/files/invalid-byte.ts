/** Where the first byte sequence that is not UTF-8 starts. `bytes` must hold one. */
export function firstInvalidByte(bytes: Buffer): number {
  // Decoding puts U+FFFD (EF BF BD) in its place. Encoded again, the two differ from there on at the latest
  // at the third byte, so the character around the first difference is the place.
  const mended = Buffer.from(bytes.toString('utf8'))
  let at = 0
  while (bytes[at] === mended[at]) at++
  while (((mended[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}

/** Such as `byte 0xE9 is not valid UTF-8`, with what to do. */
export function invalidByteText(byte: number | undefined): string {
  const hex = (byte ?? 0).toString(16).toUpperCase().padStart(2, '0')
  return `byte 0x${hex} is not valid UTF-8. If the file has another encoding, name it, for example --encoding windows-1252.`
}
