import type { TokenizeItem } from '../../producers/index.ts'

/** A value as a vault keeps them: 32 bytes or less, each of another subject. */
export const valueItem = (index: number): TokenizeItem => ({
  field: 'email',
  subject: `cust-${index}`,
  value: `person.${index}@example.com`,
})
