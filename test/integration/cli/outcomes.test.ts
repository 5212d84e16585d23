import { expect, test } from 'vitest'
import type { Ended } from '../../harness/child.ts'
import type { Grants, TestActor } from '../../harness/vault.ts'
import { environmentOf, useCli } from './use-cli.ts'

/* What becomes of single items: denied, masked, unknown, too large; and how columns become fields. */

const grants: Record<string, Grants['grants']> = {
  importer: { all: { actions: ['tokenize', 'detok'], purposes: ['import'], fields: { '*': 'full' } } },
  narrow: {
    write: { actions: ['tokenize'], purposes: ['import'], fields: { email: 'full' } },
    read: {
      actions: ['detok'],
      purposes: ['support'],
      fields: { email: 'email', phone: 'last4', name: 'redact' },
    },
  },
}

const actors: Record<string, TestActor> = {}
const environments: Record<string, Record<string, string>> = {}
const cli = useCli({
  workers: true,
  prepare: async (vault, home) => {
    for (const [name, its] of Object.entries(grants)) actors[name] = await vault.actor(name, { grants: its })
    actors['stranger'] = await vault.actor('stranger', { tenant: `other-${vault.id}` })
    for (const [name, actor] of Object.entries(actors)) environments[name] = await environmentOf(vault, actor, home)
  },
})
const { place } = cli

const as = (actor: string, purpose: string, ...args: string[]): Promise<Ended> =>
  cli.run([...args, '--purpose', purpose], { env: environments[actor] ?? {} })
const audit = async (actor: string) => cli.vault.audit(actors[actor]?.name ?? '')

test('columns become fields by their names, by mapping and by quotes, over repeated --fields', async () => {
  place.write('a.csv', 'E-Mail,"Name, full",Größe,kept\na@example.com,Ann,172,x\n')
  const fields = ['--fields', 'E-Mail,"Name, full"=name', '--fields', 'Größe']
  expect(await as('importer', 'import', 'tokenize', 'a.csv', ...fields, '--reason', 'a new list')).toMatchObject({
    code: 0,
  })
  const rows = (await audit('importer')).filter(({ reason }) => reason === 'a new list')
  expect(rows.map(({ field }) => field)).toEqual(['e_mail', 'name', 'grosse'])
  expect(place.text('a.tokenized.csv')).toMatch(/^E-Mail,"Name, full",Größe,kept\n(tok_\w{26},){3}x\n$/)
})

test('--subject is stored with the values; one that is none fails its items', async () => {
  place.write('a.csv', 'id,email\ncust-17,a@example.com\n,b@example.com\nnot a subject,c@example.com\n')
  const { code } = await as('importer', 'import', 'tokenize', 'a.csv', '--fields', 'email', '--subject', 'id')
  expect(code).toBe(1)
  expect(place.failures('a.csv')).toEqual([{ row: 3, line: 4, column: 'email', code: 'invalid' }])
  const { rows } = await cli.vault.postgres.query(
    `select subject from vault.records where actor = $1
     and request_id = (select request_id from vault.audit where actor = $1 and subject = 'cust-17') order by item`,
    [actors['importer']?.name],
  )
  expect(rows).toEqual([{ subject: 'cust-17' }, { subject: '' }])
})

test('what the policy denies is emptied, listed and counted; the rest goes on', async () => {
  place.write('a.csv', 'name,email\nAnn,a@example.com\nBob,b@example.com\n')
  const { code, stderr } = await as('narrow', 'import', 'tokenize', 'a.csv', '--fields', 'name,email')
  expect(code).toBe(1)
  expect(stderr).toContain('2 failed: 2 denied. Each is listed in a.csv.failed.ndjson.')
  expect(place.failures('a.csv')).toEqual([
    { row: 1, line: 2, column: 'name', code: 'denied' },
    { row: 2, line: 3, column: 'name', code: 'denied' },
  ])
  expect(place.text('a.tokenized.csv')).toMatch(/^name,email\n,tok_\w{26}\n,tok_\w{26}\n$/)
  expect((await audit('narrow')).map(({ outcome }) => outcome).sort()).toEqual(['denied', 'denied', 'ok', 'ok'])
})

test('for the purpose support, values come masked', async () => {
  place.write('a.csv', 'name,email,phone\nAnn,ann@example.com,+41 44 668 18 00\n')
  const fields = ['--fields', 'name,email,phone']
  expect(await as('importer', 'import', 'tokenize', 'a.csv', ...fields)).toMatchObject({ code: 0 })
  const masked = await as('narrow', 'support', 'detok', 'a.tokenized.csv', ...fields, '--out', '-')
  expect(masked).toMatchObject({ code: 0 })
  const [name, email, phone] = (masked.stdout.split('\n')[1] ?? '').split(',')
  expect([name, email, phone]).not.toEqual(['Ann', 'ann@example.com', '+41 44 668 18 00'])
  expect(name).not.toContain('Ann')
  expect(email).toMatch(/^a\W+@example\.com$/)
  expect(phone).toMatch(/\W1?8? ?00$/)
})

test('tokens that are malformed, unknown or of another tenant stay in their cells, and empty cells are none', async () => {
  place.write('mine.csv', 'email\na@example.com\n')
  await as('stranger', 'import', 'tokenize', 'mine.csv', '--fields', 'email')
  const foreign = place.text('mine.tokenized.csv').split('\n')[1]
  const content = `id,email\n1,a@example.com\n2,tok_${'0'.repeat(26)}\n3,${foreign}\n4,\n5,TOK_\n`
  place.write('a.csv', content)
  const { code, stderr } = await as('importer', 'import', 'detok', 'a.csv', '--fields', 'email')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^5 rows, 4 items in /)
  expect(stderr).not.toContain('example.com')
  expect(place.text('a.detokenized.csv')).toBe(content)
  expect(place.failures('a.csv')).toEqual([
    { row: 1, line: 2, column: 'email', code: 'invalid' },
    { row: 2, line: 3, column: 'email', code: 'not_found' },
    { row: 3, line: 4, column: 'email', code: 'not_found' },
    { row: 5, line: 6, column: 'email', code: 'invalid' },
  ])
  expect(place.text('a.csv.failed.ndjson')).not.toMatch(/example|tok_/)
})

test('a value of 64 KiB comes back, one byte more is too_large', async () => {
  const most = 'ä'.repeat(32_768)
  place.write('a.csv', `note\n${most}\n${most}x\n`)
  const { code, stderr } = await as('importer', 'import', 'tokenize', 'a.csv', '--fields', 'note')
  expect(code).toBe(1)
  expect(stderr).toContain('1 failed: 1 too_large.')
  expect(place.failures('a.csv')).toEqual([{ row: 2, line: 3, column: 'note', code: 'too_large' }])
  const back = await as('importer', 'import', 'detok', 'a.tokenized.csv', '--fields', 'note', '--out', '-')
  expect(back).toMatchObject({ code: 0, stdout: `note\n${most}\n""\n` })
})

test('--keep-failed leaves what failed, --allow-failures makes the exit code 0', async () => {
  place.write('a.csv', 'name,email\nAnn,a@example.com\n')
  const options = ['--fields', 'name,email', '--keep-failed', '--allow-failures']
  const { code, stderr } = await as('narrow', 'import', 'tokenize', 'a.csv', ...options)
  expect(code).toBe(0)
  expect(stderr).toContain('1 failed: 1 denied.')
  expect(place.text('a.tokenized.csv')).toMatch(/^name,email\nAnn,tok_\w{26}\n$/)
})

test('a run without failures takes away the list of the run before', async () => {
  place.write('a.csv', 'name\nAnn\n')
  await as('narrow', 'import', 'tokenize', 'a.csv', '--fields', 'name')
  expect(place.has('a.csv.failed.ndjson')).toBe(true)
  expect(await as('importer', 'import', 'tokenize', 'a.csv', '--fields', 'name')).toMatchObject({ code: 0 })
  expect(place.files()).toEqual(['a.csv', 'a.tokenized.csv'])
})

test('thousands of rows over many requests keep their order', async () => {
  const content = `id,email\n${Array.from({ length: 3_000 }, (_, i) => `${i},user-${i}@example.com`).join('\n')}\n`
  place.write('a.csv', content)
  expect(await as('importer', 'import', 'tokenize', 'a.csv', '--fields', 'email')).toMatchObject({ code: 0 })
  const tokens = place.text('a.tokenized.csv').match(/tok_\w{26}/g)
  expect(new Set(tokens).size).toBe(3_000)
  const back = await as('importer', 'import', 'detok', 'a.tokenized.csv', '--fields', 'email', '--out', '-')
  expect(back).toMatchObject({ code: 0, stdout: content })
})

test('however many runs there are, an actor has one reply queue in Redis, and it is empty after them', async () => {
  place.write('a.csv', 'email\na@example.com\n')
  const runs = [1, 2, 3].map((n) =>
    as(
      'importer',
      'import',
      'tokenize',
      'a.csv',
      '--fields',
      'email',
      '--out',
      `${n}.csv`,
      '--failures',
      `${n}.failed`,
    ),
  )
  expect((await Promise.all(runs)).map(({ code }) => code)).toEqual([0, 0, 0])
  const name = actors['importer']?.name
  const keys = await cli.vault.redis.keys(`${cli.vault.prefix}:reply-${name}*`)
  expect(new Set(keys.map((key) => key.split(':')[1]))).toEqual(new Set([`reply-${name}`]))
  expect(await cli.vault.queue(`reply-${name}`).count()).toBe(0)
})
