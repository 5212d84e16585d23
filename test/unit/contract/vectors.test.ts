import type { Job } from 'bullmq'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { openReply } from '../../../producers/open-reply.ts'
import { RequestFailed } from '../../../producers/outcome.ts'
import { Sessions } from '../../../producers/sessions.ts'
import * as grammar from '../../../shared/contract/grammar.ts'
import { hint } from '../../../shared/contract/reply.ts'
import { detokBody, tokenizeBody } from '../../../shared/contract/request.ts'
import { openRecord } from '../../../shared/crypto/record.ts'
import { Dependency } from '../../../shared/lifecycle/dependency.ts'
import { createLogger } from '../../../shared/log/log.ts'
import type { Dependencies } from '../../../workers/dependencies.ts'
import { createOpen } from '../../../workers/stages/open.ts'
import { createReply } from '../../../workers/stages/reply.ts'
import type { Vector } from './vectors.ts'
import { readVectors, transitHolding } from './vectors.ts'

afterEach(() => vi.useRealTimers())

describe('a worker judges a request as its vector says', () => {
  test.each(readVectors('request'))('%s', async (_, vector) => {
    vi.useFakeTimers({ now: vector.now * 1_000, toFake: ['Date'] })
    expect(await judge(vector)).toEqual({
      verdict: vector.verdict === 'accept' ? 'accept' : 'refuse',
      ...(vector.verdict === 'accept' ? { opensTo: vector.opens_to, items: vector.items } : {}),
      ...(vector.code === undefined ? {} : { code: vector.code, answer: vector.answer }),
    })
  })
})

describe('a requester takes or passes over a reply as its vector says', () => {
  test.each(readVectors('reply'))('%s', async (_, { data, ticket, actor, session, verdict, opens_to }) => {
    const opened = await openReply(data, ticket, actor, new Sessions(transitHolding(session), actor))
    expect(opened === undefined ? 'refuse' : 'accept').toBe(verdict === 'accept' ? 'accept' : 'refuse')
    if (opened === undefined) return
    if (opened instanceof RequestFailed) return expect({ error: opened.code }).toEqual(opens_to)
    const items = opened.map((item) => {
      if (!item.ok) return { error: item.code }
      return 'token' in item ? { token: item.token } : { value: item.value.reveal(), mask: item.mask }
    })
    expect({ items }).toEqual(opens_to)
  })
})

test.each(readVectors('hint'))('a hint is read as its vector says: %s', (_, { data, verdict }) => {
  expect(hint.safeParse(data).success).toBe(verdict === 'accept')
})

test.each(readVectors('record'))('a record opens or not as its vector says: %s', (_, vector) => {
  const value = openRecord(vector.dek, vector.ciphertext, vector.label)?.reveal()
  expect(value).toBe(vector.verdict === 'accept' ? vector.opens_to : undefined)
})

/** What the worker's own stages make of a job, with an OpenBao that holds the vector's session and nothing else. */
async function judge(vector: Vector<'request'>): Promise<object> {
  const { queue, job, data } = vector
  const published: string[] = []
  const dependencies = dependenciesWith(vector, published)
  const schema = queue === 'detok' ? detokBody : tokenizeBody
  const opened = await createOpen<typeof schema._output>(
    queue,
    schema,
    dependencies,
  )({
    ...job,
    data,
    attemptsStarted: 1,
  } as Job<unknown>)
  if (opened.kind === 'open') {
    return { verdict: 'accept', opensTo: opened.body, items: opened.body.items.map(faultOf) }
  }
  if (opened.kind === 'refused') return { verdict: 'refuse', code: opened.code, answer: 'sealed' }
  await createReply(queue, dependencies).hint(opened.claim, opened.code)
  return { verdict: 'refuse', code: opened.code, answer: published[0] ?? 'none' }
}

function dependenciesWith({ session }: Vector<'request'>, published: string[]): Dependencies {
  const log = createLogger('silent', 'test')
  const guard = new Dependency({ name: 'none', probe: async () => undefined, log, onChange: () => undefined })
  const publish = async (_queue: string, jobName: string) => void published.push(jobName)
  return {
    transit: { transit: transitHolding(session), guard },
    policy: { policy: { tenantOf: async () => 'acme' }, guard },
    redis: { replies: { publish }, guard },
    // Nothing else is touched by these two stages.
  } as unknown as Dependencies
}

/** The code of an item that cannot be processed, by the contract's grammars. */
function faultOf(item: { token: string } | { field: string; subject?: string | undefined; value: string }) {
  if ('token' in item) return grammar.token.safeParse(item.token).success ? null : 'invalid'
  const { field, subject, value } = item
  const labelled = grammar.fieldName.safeParse(field).success && grammar.subject.optional().safeParse(subject).success
  return labelled && value.isWellFormed() ? null : 'invalid'
}
