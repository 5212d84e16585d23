import type { Job } from 'bullmq'
import type { DetokBody, TokenizeBody } from '../../../../shared/contract/request.ts'
import { detokBody, tokenizeBody } from '../../../../shared/contract/request.ts'
import type { DependencyName } from '../../../../shared/errors/server-errors.ts'
import { Dependency } from '../../../../shared/lifecycle/dependency.ts'
import { createLogger } from '../../../../shared/log/log.ts'
import type { AuditedItem, Entry, OpenRequest } from '../../../../workers/batch.ts'
import type { Dependencies } from '../../../../workers/dependencies.ts'
import { askedItems } from '../../../../workers/stages/asked-items.ts'
import { givenItems } from '../../../../workers/stages/given-items.ts'
import { createOpen } from '../../../../workers/stages/open.ts'
import { createReply } from '../../../../workers/stages/reply.ts'
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
    return { verdict: 'accept', opensTo: opened.body, items: itemsOf(opened).map(faultOf) }
  }
  if (opened.kind === 'refused') return { verdict: 'refuse', code: opened.code, answer: 'sealed' }
  await createReply(queue, dependencies).hint(opened.claim, opened.code)
  return { verdict: 'refuse', code: opened.code, answer: published[0] ?? 'none' }
}

function dependenciesWith({ session }: Vector<'request'>, published: string[]): Dependencies {
  const log = createLogger('silent', 'test')
  const dependency = <Server>(name: DependencyName, server: Server) =>
    new Dependency({ name, server, probe: async () => undefined, log })
  const publish = async (_queue: string, jobName: string) => void published.push(jobName)
  return {
    transit: dependency('transit', transitHolding(session)),
    policy: dependency('policy', { tenantOf: async () => 'acme' }),
    redis: dependency('redis', { publish }),
    // Nothing else is touched by these two stages.
  } as unknown as Dependencies
}

/** As the pipeline of the queue takes them up. */
function itemsOf({ request, body }: { request: OpenRequest; body: DetokBody | TokenizeBody }): Entry<AuditedItem>[] {
  return request.queue === 'detok' ? askedItems(request, body as DetokBody) : givenItems(request, body as TokenizeBody)
}

const faultOf = (entry: Entry<AuditedItem>) => ('failed' in entry ? entry.failed : null)
