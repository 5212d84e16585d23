import type { Detokenized, Tokenized } from '../../producers/index.ts'

/** What an item came to: its token or value, or the code with which it failed. */
export function shown(outcome: Tokenized | Detokenized): string {
  if (!outcome.ok) return outcome.code
  return 'token' in outcome ? outcome.token : outcome.value.reveal()
}

export const tokensOf = (outcomes: readonly Tokenized[]): string[] => outcomes.map(shown)
export const valuesOf = (outcomes: readonly Detokenized[]): string[] => outcomes.map(shown)
/** `ok`, or the code with which the item failed. */
export const codesOf = (outcomes: readonly (Tokenized | Detokenized)[]): string[] =>
  outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code))
