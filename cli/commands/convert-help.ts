/** What `tokenize --help` and `detok --help` say, where they differ. */
export const helpTexts = {
  tokenize: {
    description: 'replace the values in some columns of a file by tokens',
    held: 'PII',
    purpose: 'import',
    keepFailed: 'leave a failed value in its cell instead of emptying it, and rows that cannot be read in the file',
    after: after('tokenize', 'import'),
  },
  detok: {
    description: 'replace the tokens in some columns of a file by their values',
    held: 'tokens',
    purpose: 'export',
    keepFailed: 'leave a failed token in its cell, which is the default here',
    after: after('detok', 'export'),
  },
} as const

function after(command: string, purpose: string): string {
  return `
Examples:
  pii-vault ${command} customers.csv --fields email,phone --purpose ${purpose}
  pii-vault ${command} people.csv --fields 'E-Mail=email,"Name, full"=name' --purpose demo --out result.csv
  cat events.ndjson | pii-vault ${command} - --format ndjson --fields email --purpose demo --out - > result.ndjson

Rows keep their order, and other columns their bytes. What failed is listed in FILE.failed.ndjson (row, line, column, code;
never a value) and makes the exit code 1, unless --allow-failures. The output is there whole or not at all.

Environment (--stack takes all of it from the embedded stack):
  QUEUE_URL, QUEUE_PREFIX   Redis or Valkey
  TRANSIT_ADDR              OpenBao (or BAO_ADDR, VAULT_ADDR)
  ACTOR_CREDENTIALS_FILE    the file that \`pii-vault actor add NAME --out FILE\` wrote

Exit codes: 0 done, 1 failed or some items failed, 2 unusable options or settings, 3 OpenBao refuses the credentials,
130 interrupted.
`
}
