/** Tells a person something: on standard error, since standard output is for a command's result. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Prints rows in aligned columns, on standard output. */
export function table(rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    process.stdout.write(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  }
}
