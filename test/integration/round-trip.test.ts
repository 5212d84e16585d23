import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../producers/index.ts'
import { tokensOf, valuesOf } from '../harness/outcomes.ts'
import type { TestActor } from '../harness/vault.ts'
import { TestVault } from '../harness/vault.ts'

let vault: TestVault
let actor: TestActor
let client: Client

beforeAll(async () => {
  vault = await TestVault.open()
  actor = await vault.actor()
  await vault.replica('detok')
  await vault.replica('tokenize')
  client = await vault.client(actor)
})
afterAll(() => vault.close())

const purpose = 'test'

test('every value comes back byte for byte, in order', async () => {
  const values = [
    'a@example.com',
    '',
    ' padded ',
    'Zoë Ångström',
    'Zoë Ångström',
    'nul \u0000 inside',
    '👩‍👩‍👧‍👦',
    '=1+1',
    '\u2028',
    'x'.repeat(65_536),
  ]
  const tokenized = await client.tokenize(
    values.map((value) => ({ field: 'note', value })),
    { purpose },
  )
  const tokens = tokensOf(tokenized)
  expect(new Set(tokens).size, 'one value twice gets two tokens').toBe(values.length)
  const outcomes = await client.detok(tokens, { purpose })
  expect(valuesOf(outcomes)).toEqual(values)
})
