import { itemErrors, requestErrors } from '../../errors/catalogue.ts'

/** `codes.md`: the error catalogue as a person reads it. */
export function codesDocument(): string {
  return `<!-- Made from shared/errors/catalogue.ts by shared/contract/schema/build.ts. -->

# Codes

*Final*: the same request gets the same answer. *Retryable*: a later one may succeed, under a new id.
Code and whether it can be retried are the contract; the wording is not.

## Of an item

\`{"error": CODE}\` in its place in the reply. The other items of the request go on.

${table(itemErrors)}

## Of a request

\`{"error": CODE}\` as the whole body of the reply: none of its items was processed. A hint has one of these codes too, but a
hint is never an outcome.

${table(requestErrors)}
`
}

function table(entries: Record<string, { readonly retryable: boolean; readonly message: string }>): string {
  const rows = Object.entries(entries).map(
    ([code, { retryable, message }]) => `| \`${code}\` | ${retryable ? 'retryable' : 'final'} | ${message} |`,
  )
  return ['| code | asking again | meaning |', '| --- | --- | --- |', ...rows].join('\n')
}
