import { afterAll, beforeAll, expect, test } from 'vitest'
import { mintToken, tokenToUuid } from '../../shared/crypto/token.ts'
import { TestVault } from '../harness/vault.ts'

let vault: TestVault

beforeAll(async () => {
  vault = await TestVault.open()
})
afterAll(() => vault.close())

test('a token in the audit can be read as its users know it', async () => {
  const tokens = [
    'tok_00000000000000000000000000',
    'tok_7zzzzzzzzzzzzzzzzzzzzzzzzz',
    ...Array.from({ length: 50 }, mintToken),
  ]
  const { rows } = await vault.postgres.query<{ text: string }>(
    'select vault.token_text(t) as text from unnest($1::uuid[]) with ordinality as q (t, position) order by position',
    [tokens.map(tokenToUuid)],
  )
  expect(rows.map(({ text }) => text)).toEqual(tokens)
})

test('rows of a month that had no partition move into it when it is made', async () => {
  const client = await vault.postgres.connect()
  try {
    await client.query('begin') // rolled back: other tests share this database
    await client.query(
      `insert into vault.audit (at, worker, attempt, items, action, outcome)
                        select now() + make_interval(months => m), $1, 1, 1, 'detok', 'ok' from unnest(array[14, 15]) as m`,
      [vault.id],
    )
    await client.query('select vault.create_audit_partitions(14)')
    const { rows } = await client.query<{ partition: string }>(
      'select tableoid::regclass::text as partition from vault.audit where worker = $1 order by at',
      [vault.id],
    )
    expect(rows.map(({ partition }) => partition)).toEqual([
      expect.stringMatching(/^vault\.audit_\d{4}_\d{2}$/),
      'vault.audit_default',
    ])
  } finally {
    await client.query('rollback')
    client.release()
  }
})
