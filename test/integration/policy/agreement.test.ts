import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Policy, Question } from '../../../shared/policy/index.ts'
import { openPolicy } from '../../../shared/policy/index.ts'
import { startEvaluator } from '../../../shared/policy/wasm.ts'
import type { OpaServer } from './opa.ts'
import { committed, describeWithOpa, opa, silent, source, startOpa } from './opa.ts'

const seed = Date.now() % 2 ** 31

const oneOf = (...names: string[]) => fc.constantFrom(...names)
const actor = fc.oneof(
  { weight: 9, arbitrary: oneOf('cli', 'cli', 'cli', 'svc-export', 'svc-import', 'svc-support', 'nobody') },
  fc.string(),
)
const purpose = fc.oneof({ weight: 9, arbitrary: oneOf('demo', 'import', 'export', 'support', '*') }, fc.string())
const field = fc.oneof(
  { weight: 9, arbitrary: oneOf('email', 'name', 'phone', 'iban', 'birth_date', 'x', '*') },
  fc.string({ unit: 'grapheme' }),
)
const action = oneOf('tokenize', 'detok', '*') as fc.Arbitrary<Question['action']>
const question = fc.record({ actor, tenant: oneOf('demo', 'acme', ''), purpose, action, field, subject: fc.string() })
const questions = fc.array(question, { maxLength: 20, size: 'max' })

// Data as an operator may write it, with all that can be wrong in it.
const wrong = fc.oneof(fc.constantFrom(null, false, 7, 'detok', '*', {}), fc.jsonValue({ maxDepth: 1 }))
const orWrong = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 15, arbitrary: right }, { weight: 1, arbitrary: wrong })
const mask = orWrong(oneOf('full', 'last4', 'email', 'redact', 'lsat4'))
const grant = fc.record(
  {
    actions: orWrong(fc.array(orWrong(action))),
    purposes: orWrong(fc.array(orWrong(purpose))),
    fields: orWrong(fc.dictionary(field, mask)),
  },
  { requiredKeys: [] },
)
const entry = fc.record(
  {
    tenant: orWrong(oneOf('demo', 'acme')),
    grants: orWrong(fc.dictionary(oneOf('a', 'b', 'c', 'Bad Name!'), orWrong(grant))),
  },
  { requiredKeys: [] },
)
const actors = fc.dictionary(actor, orWrong(entry), { noNullPrototype: true })

describeWithOpa(`WebAssembly and an OPA server agree (seed ${seed})`, () => {
  const archive = join(tmpdir(), `policy-agreement-${process.pid}.tar.gz`)
  let server: OpaServer
  let bare: OpaServer
  let byServer: Policy
  let byBareServer: Policy
  let byWasm: Policy

  beforeAll(async () => {
    const revision = (await readFile(join(source, 'REVISION'), 'utf8')).trim()
    await opa(source, 'build', '-r', revision, '-o', archive, 'vault.rego', 'data.json')
    server = await startOpa('-b', archive)
    bare = await startOpa(join(source, 'vault.rego'))
    byServer = await openPolicy({ location: server.url, log: silent })
    byBareServer = await openPolicy({ location: bare.url, log: silent })
    byWasm = await openPolicy({ location: committed, log: silent })
  })
  afterAll(async () => {
    await Promise.all([byServer?.close(), byBareServer?.close(), byWasm?.close()])
    await Promise.all([server?.stop(), bare?.stop(), rm(archive, { force: true })])
  })

  test('on thousands of questions to the default policy, revision included', async () => {
    let asked = 0
    let allowed = 0
    await fc.assert(
      fc.asyncProperty(questions, async (batch) => {
        const [wasm, opaServer] = await Promise.all([byWasm.decide(batch), byServer.decide(batch)])
        expect(opaServer).toEqual(wasm)
        asked += batch.length
        allowed += wasm.decisions.filter(({ allow }) => allow).length
      }),
      { numRuns: 600, seed },
    )
    expect(asked).toBeGreaterThan(3_000)
    // Agreement on denials alone would show little.
    expect(allowed).toBeGreaterThan(asked / 50)
  })

  test('on the tenant of every actor', async () => {
    await fc.assert(
      fc.asyncProperty(actor, async (name) => {
        expect(await byServer.tenantOf(name)).toBe(await byWasm.tenantOf(name))
      }),
      { numRuns: 300, seed },
    )
  })

  test('on generated policy data, misspelt and malformed included', async () => {
    const wasm = await readFile(join(committed, 'policy.wasm'))
    const outcomes = new Set<string>()
    await fc.assert(
      fc.asyncProperty(actors, questions, async (generated, batch) => {
        // Through JSON, as both get it.
        const data = JSON.parse(JSON.stringify({ actors: generated })) as { actors: object }
        const put = await fetch(`${bare.url}/v1/data/actors`, { method: 'PUT', body: JSON.stringify(data.actors) })
        expect(put.ok).toBe(true)
        const evaluator = await startEvaluator({ revision: '1', wasm, data }, silent)
        const decisions = await evaluator.decide(batch)
        expect((await byBareServer.decide(batch)).decisions).toEqual(decisions)
        for (const name of Object.keys(generated)) {
          expect(await byBareServer.tenantOf(name)).toBe(await evaluator.tenantOf(name))
        }
        for (const decision of decisions) outcomes.add(decision.allow ? decision.mask : decision.reason)
      }),
      { numRuns: 300, seed },
    )
    expect([...outcomes]).toEqual(
      expect.arrayContaining(['full', 'redact', 'no grant', 'other tenant', 'unknown actor']),
    )
  })
})
