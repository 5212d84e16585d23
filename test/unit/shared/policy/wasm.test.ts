import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseBundle, readStoredBundle } from '../../../../shared/policy/bundle.ts'
import type { Policy, Question } from '../../../../shared/policy/index.ts'
import { openPolicy } from '../../../../shared/policy/index.ts'
import { startEvaluator } from '../../../../shared/policy/wasm.ts'

const location = new URL('../../../../policy/bundle', import.meta.url).pathname
const silent = { info() {}, warn() {}, error() {} }
const question: Question = {
  actor: 'cli',
  tenant: 'demo',
  purpose: 'export',
  action: 'detok',
  field: 'email',
  subject: '',
}

describe('the default bundle', () => {
  let policy: Policy
  beforeAll(async () => {
    policy = await openPolicy({ location, log: silent })
  })
  afterAll(() => policy.close())
  const decide = async (changes: Partial<Question>) => (await policy.decide([{ ...question, ...changes }])).decisions[0]

  test.each(['demo', 'import', 'export'])('lets cli tokenize and read every field in full for %s', async (purpose) => {
    for (const action of ['tokenize', 'detok'] as const) {
      expect(await decide({ purpose, action, field: 'whatever' })).toMatchObject({ allow: true, mask: 'full' })
    }
  })

  test.each([
    ['email', 'email'],
    ['phone', 'last4'],
    ['iban', 'last4'],
    ['birth_date', 'redact'],
    ['name', 'redact'],
    ['whatever', 'redact'],
  ])('shows cli %s as %s for support', async (field, mask) => {
    expect(await decide({ purpose: 'support', field })).toEqual({ allow: true, mask, reason: 'grant support' })
  })

  test('denies cli what no grant names', async () => {
    expect(await decide({ purpose: 'support', action: 'tokenize' })).toEqual({ allow: false, reason: 'no grant' })
    expect(await decide({ purpose: 'marketing' })).toEqual({ allow: false, reason: 'no grant' })
    expect(await decide({ tenant: 'acme' })).toEqual({ allow: false, reason: 'other tenant' })
  })

  test('lets svc-export read e-mail and name for export, and nothing else', async () => {
    const actor = { actor: 'svc-export', tenant: 'acme' }
    expect(await decide({ ...actor })).toMatchObject({ allow: true, mask: 'full' })
    expect(await decide({ ...actor, field: 'iban' })).toMatchObject({ allow: false })
    expect(await decide({ ...actor, purpose: 'support' })).toMatchObject({ allow: false })
    expect(await decide({ ...actor, action: 'tokenize' })).toMatchObject({ allow: false })
  })

  test('lets svc-import tokenize for import, and read nothing', async () => {
    const actor = { actor: 'svc-import', tenant: 'acme', purpose: 'import' }
    expect(await decide({ ...actor, action: 'tokenize' })).toMatchObject({ allow: true })
    expect(await decide({ ...actor })).toMatchObject({ allow: false })
  })

  test('gives the tenant of an actor, and none to one it does not know', async () => {
    expect(await policy.tenantOf('cli')).toBe('demo')
    expect(await policy.tenantOf('svc-export')).toBe('acme')
    for (const actor of ['', 'nobody', '__proto__', 'constructor']) expect(await policy.tenantOf(actor)).toBeUndefined()
  })

  test('answers in order, with its revision', async () => {
    const questions = Array.from({ length: 400 }, (_, i) => ({ ...question, actor: i % 3 === 0 ? 'nobody' : 'cli' }))
    const { revision, decisions } = await policy.decide(questions)
    expect(revision).toMatch(/^\d/)
    expect(decisions.map(({ allow }) => allow)).toEqual(questions.map(({ actor }) => actor === 'cli'))
    expect(await policy.decide([])).toEqual({ revision, decisions: [] })
  })
})

test('memory does not grow with the number of evaluations', async () => {
  const evaluator = await startEvaluator(await parseBundle(await readStoredBundle(location, undefined)), silent)
  const batch = Array.from({ length: 20 }, (_, i) => ({ ...question, subject: 'x'.repeat(i) }))
  const evaluate = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const decisions = await evaluator.decide(batch)
      if (!decisions.every(({ allow }) => allow)) throw new Error('denied')
    }
    return process.memoryUsage().rss
  }
  const before = await evaluate(2_000)
  // Question and answer are over 5 KiB: were they left in the module's memory, this would be 150 MiB.
  expect((await evaluate(30_000)) - before).toBeLessThan(64 * 1024 * 1024)
})
