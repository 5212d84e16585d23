/** Something drawn on the terminal's last line, such as a progress bar. Text goes above it. */
export interface StatusLine {
  erase(): void
  draw(): void
}

let statusLine: StatusLine | undefined

/** Keeps a line drawn below whatever is said; `undefined` lets it go. */
export function pin(line: StatusLine | undefined): void {
  statusLine = line
}

/** Tells a person something: on standard error, since standard output is for a command's result. */
export function say(text: string): void {
  statusLine?.erase()
  process.stderr.write(`${text}\n`)
  statusLine?.draw()
}

/** Prints rows in aligned columns, on standard output. Cells of the columns named by index are set to the right. */
export function table(rows: readonly (readonly string[])[], right: readonly number[] = []): void {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    )
    process.stdout.write(`${cells.join('  ').trimEnd()}\n`)
  }
}

export const count = (n: number): string => n.toLocaleString('en')

/** One word for a shell: quoted if it has to be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
