import type { Bench } from '../bench.ts'
import type { CpuTimes } from '../measure/usage.ts'
import { perItem } from '../measure/usage.ts'
import type { TakenRequest } from './handler.ts'
import { Requests } from './requests.ts'

/** A queue of some library, and the program that answers what is put there. */
export interface RequestQueue {
  /** Nobody takes of it before `drain`. */
  fill(requests: readonly TakenRequest[], reply: string): Promise<void>
  drain(): Promise<Drained>
  /** Takes the replies off their queue. */
  replies(): Promise<unknown[]>
}

export interface Drained {
  /** Until the last reply was on its queue. */
  readonly seconds: number
  readonly cpu: CpuTimes
}

export interface Measured {
  readonly itemsPerS: number
  readonly cpuPerItem: CpuTimes
}

/** A backlog, from the first request to the last reply. All of it is checked: who answers wrongly could be fast. */
export async function measureQueue(
  bench: Bench,
  queue: RequestQueue,
  { jobItems, items }: { readonly jobItems: number; readonly items: number },
): Promise<Measured> {
  const requests = await Requests.seal(bench, jobItems, items)
  await queue.fill(requests.taken, requests.reply)
  const { seconds, cpu } = await queue.drain()
  await requests.verify(await queue.replies())
  return { itemsPerS: items / seconds, cpuPerItem: perItem(cpu, items) }
}
