import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Policy, Question } from '../../../shared/policy/index.ts'
import { openPolicy } from '../../../shared/policy/index.ts'
import type { OpaServer } from './opa.ts'
import { describeWithOpa, entrypoints, faulty, opa, silent, source, startOpa } from './opa.ts'

const question: Question = { actor: 'a', tenant: 't', purpose: 'other', action: 'detok', field: 'f', subject: 'Ada' }
const yes = { allow: true, mask: 'full', reason: 'x' }
const denied = (reason: string) => ({ allow: false, reason })

describeWithOpa('what is not a clear yes is denied', () => {
  const policies: Record<string, Policy> = {}
  let directory: string
  let server: OpaServer

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'policy-faults-'))
    const location = join(directory, 'wasm.tar.gz')
    await opa(source, 'build', '-t', 'wasm', ...entrypoints, '-r', '1', '-o', location, faulty)
    server = await startOpa(faulty)
    policies['WebAssembly'] = await openPolicy({ location, log: silent })
    policies['an OPA server'] = await openPolicy({ location: server.url, log: silent })
  })
  afterAll(async () => {
    for (const policy of Object.values(policies)) await policy.close()
    await server?.stop()
    await rm(directory, { recursive: true })
  })

  describe.each(['WebAssembly', 'an OPA server'])('by %s', (evaluator) => {
    const decide = async (...purposes: string[]) => {
      const answer = await policies[evaluator]?.decide(purposes.map((purpose) => ({ ...question, purpose })))
      return answer?.decisions
    }

    test('a clear yes is a yes', async () => {
      expect(await decide('other', 'other')).toEqual([yes, yes])
    })

    test.each([
      ['undefined', 'no decision'],
      ['object', 'malformed decision'],
      ['short', 'wrong number of decisions'],
      ['long', 'wrong number of decisions'],
      ['conflict', 'evaluation failed'],
    ])('the whole batch, when the answer is %s', async (fault, reason) => {
      expect(await decide('other', fault)).toEqual([denied(reason), denied(reason)])
      expect(await decide('other'), 'and the next batch is answered again').toEqual([yes])
    })

    test.each([
      ['unknown-mask', 'unknown mask'],
      ['no-mask', 'unknown mask'],
      ['quoting', 'malformed decision'],
    ])('one item, when its entry is %s', async (fault, reason) => {
      expect(await decide('other', fault, 'other')).toEqual([yes, denied(reason), yes])
    })

    test('an actor, when its tenant is no name or the evaluation fails', async () => {
      expect(await policies[evaluator]?.tenantOf('acme')).toBe('acme')
      expect(await policies[evaluator]?.tenantOf('number')).toBeUndefined()
      expect(await policies[evaluator]?.tenantOf('conflict')).toBeUndefined()
      expect(await policies[evaluator]?.tenantOf('acme')).toBe('acme')
    })
  })

  test('a failing evaluation is logged without what was asked, and many of them use up nothing', async () => {
    const lines: string[] = []
    const write = (fields: object, message: string) => lines.push(JSON.stringify([fields, message]))
    const policy = await openPolicy({
      location: join(directory, 'wasm.tar.gz'),
      log: { info: write, warn: write, error: write },
    })
    const batch = [{ ...question, purpose: 'conflict', subject: 'ada-lovelace' }]
    const answers = await Promise.all(Array.from({ length: 300 }, () => policy.decide(batch)))
    expect(answers.every(({ decisions }) => decisions[0]?.reason === 'evaluation failed')).toBe(true)
    expect((await policy.decide([question])).decisions).toEqual([yes])
    await policy.close()
    expect(lines).toHaveLength(300)
    expect(lines.join()).not.toMatch(/ada-lovelace|conflict/)
  })
})
