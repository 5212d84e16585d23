import { inspect } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import { ContentRefused, Unavailable } from '../../shared/errors/server-errors.ts'
import { parseBatch } from '../../shared/transit/answer.ts'
import { openFake, plaintext } from '../unit/shared/transit/fake-openbao.ts'
import { altered, canary, damaged, fuzz, hostileText, hostileValue } from './fuzz.ts'

// What OpenBao answers, or who stands in its place: no item may get another's key, and nothing of an answer is repeated.

const item = (index: number) => ({ plaintext, reference: String(index) })
const good = { data: { batch_results: [item(0), item(1), item(2)] } }
const replaced = (at: number, by: unknown) => ({
  data: { batch_results: good.data.batch_results.map((each, index) => (index === at ? by : each)) },
})

const answers: fc.Arbitrary<unknown> = fc.oneof(
  hostileValue,
  altered(good),
  altered(good.data).map((data) => ({ data })),
  fc
    .array(fc.oneof(altered(item(1)), fc.constant(item(0))), { maxLength: 4 })
    .map((batch_results) => ({ data: { batch_results } })),
  altered(item(1)).map((by) => replaced(1, by)),
  hostileText.map((error) => replaced(2, { ...item(2), error })),
  hostileText.map((said) => replaced(0, { ...item(0), plaintext: said })),
)

fuzz(
  'a batch is its items in their order, or no answer at all',
  fc.property(answers, (said) => {
    const arrives: unknown = JSON.parse(JSON.stringify(said))
    let results: ReturnType<typeof parseBatch>
    try {
      results = parseBatch(arrives, 'plaintext', 3)
    } catch (error) {
      expect(error).toBeInstanceOf(Unavailable)
      expect(inspect(error)).not.toContain(canary)
      return
    }
    if (results === undefined) return
    const sent = (arrives as typeof good).data.batch_results as Record<string, unknown>[]
    expect(sent).toHaveLength(3)
    for (const [index, result] of results.entries()) {
      const said = sent[index] ?? {}
      expect(said['reference']).toBe(String(index))
      if ('ok' in result) expect(said).toMatchObject({ plaintext: result.ok })
      if ('ok' in result) expect(said['error'] ?? '').toBe('')
      else expect(['rejected', 'retired', 'too new', 'failed']).toContain(result.error)
    }
  }),
)

const raw = Buffer.from(JSON.stringify(good))
const bytes = fc.oneof(
  damaged(raw),
  hostileText.map((text) => Buffer.from(text)),
  hostileValue.map((value) => Buffer.from(JSON.stringify(value))),
)

fuzz(
  'any bytes under any status are three results, or an error that repeats nothing of them',
  async () => {
    const { bao, transit } = await openFake()
    let answer: { status: number; body: Buffer }
    bao.instead = ({ path }, response) => {
      if (path === 'transit/decrypt/pii') response.writeHead(answer.status).end(answer.body)
      return undefined
    }
    const status = fc.constantFrom(200, 400, 403, 404, 412, 429, 500, 502, 503)
    return fc.asyncProperty(fc.record({ status, body: bytes }), async (said) => {
      answer = said
      const wrapped = Array.from({ length: 3 }, () => `vault:v1:${canary}`)
      const results = await transit.decrypt('pii', wrapped).catch((error: unknown) => {
        expect(error instanceof Unavailable || error instanceof ContentRefused).toBe(true)
        expect(inspect(error, { depth: 9 })).not.toContain(canary)
        return undefined
      })
      if (results === undefined) return
      expect(results).toHaveLength(3)
      for (const result of results) {
        if ('ok' in result) expect(said.body.toString()).toContain(result.ok.reveal().toString('base64'))
      }
    })
  },
  1_000,
)
