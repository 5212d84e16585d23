import type { RedisQueueBackend } from 'bullmq'

/**
 * BullMQ parses these members of a job's hash when it fetches the job and when it finishes it. Where that fails, the job
 * would stay in `active` for ever. What stands in for one that is no JSON, or no object where it has to be one.
 */
const substitutes: Readonly<Record<string, string>> = { opts: '{}', parent: '', progress: '0' }
const objects: ReadonlySet<string> = new Set(['opts', 'parent'])
const fetching: ReadonlySet<string> = new Set(['moveToActive', 'moveToFinished'])

/** What stands in for a job's data that is no JSON. */
export class UnreadableData {
  readonly bytes: number

  constructor(bytes: number) {
    this.bytes = bytes
  }
}

/**
 * Lets this backend fetch and finish any job, whatever was written into its hash. It leans on BullMQ 6.7, whose backend runs
 * each of its scripts by `execCommand`; a test with such hashes tells if that changes.
 */
export function makeJobsReadable(backend: RedisQueueBackend): void {
  const execCommand = backend.execCommand.bind(backend)

  async function execute(...call: Parameters<typeof execCommand>): Promise<unknown> {
    const answer: unknown = await execCommand(...call)
    // The hash, as names and values in turn, and the job's id.
    const [hash, jobId]: unknown[] = Array.isArray(answer) ? answer : []
    if (!Array.isArray(hash)) return answer
    for (let i = 0; i + 1 < hash.length; i += 2) {
      const [member, value] = [String(hash[i]), String(hash[i + 1])]
      const substitute = substitutes[member]
      if (substitute === undefined || isReadable(member, value)) continue
      hash[i + 1] = substitute
      await (await backend.client).hdel(backend.toKey(String(jobId)), member)
    }
    return answer
  }
  backend.execCommand = (client, command, args) =>
    (fetching.has(command) ? execute : execCommand)(client, command, args) as unknown
}

function isReadable(member: string, value: string): boolean {
  if (value === substitutes[member]) return true
  try {
    const content: unknown = JSON.parse(value)
    return !objects.has(member) || (typeof content === 'object' && content !== null)
  } catch {
    return false
  }
}
