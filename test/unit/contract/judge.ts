import type { Job } from 'bullmq'
import * as grammar from '../../../shared/contract/grammar.ts'
import { detokBody, tokenizeBody } from '../../../shared/contract/request.ts'
import { Dependency } from '../../../shared/lifecycle/dependency.ts'
import { createLogger } from '../../../shared/log/log.ts'
import type { Dependencies } from '../../../workers/dependencies.ts'
import { createOpen } from '../../../workers/stages/open.ts'
import { createReply } from '../../../workers/stages/reply.ts'
import type { Vector } from './vectors.ts'
import { transitHolding } from './vectors.ts'

/** What the worker's own stages make of a job, with an OpenBao that holds the vector's session and nothing else. */
export async function judge(vector: Vector<'request'>): Promise<object> {
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
