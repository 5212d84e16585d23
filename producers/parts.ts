import pLimit from 'p-limit'
import type { RequestItem } from './limits.ts'
import { itemsPerRequest, unsendable } from './limits.ts'
import type { Detokenized, Tokenized } from './outcome.ts'
import { failure, RequestFailed } from './outcome.ts'
import { splitIntoRequests } from './request.ts'

const requestsInFlight = 8

/**
 * Asks for any number of items, as several requests, a few at a time. When one of them has no outcomes, no more are sent, but
 * those under way are waited for: RequestFailed then carries every outcome there is. Any other error lets all go at once.
 */
export async function askInParts<I extends RequestItem, O extends Tokenized | Detokenized>(
  items: readonly I[],
  signal: AbortSignal | undefined,
  ask: (part: I[], signal: AbortSignal) => Promise<O[]>,
): Promise<O[]> {
  const refusals = items.map(unsendable)
  const sendable = items.filter((_, i) => refusals[i] === undefined)
  const over = new AbortController()
  const within = AbortSignal.any([over.signal, ...(signal === undefined ? [] : [signal])])
  let failed: RequestFailed | undefined

  async function outcomesOf(part: I[]): Promise<(O | undefined)[]> {
    if (failed === undefined) {
      try {
        return await ask(part, within)
      } catch (error) {
        if (!(error instanceof RequestFailed)) {
          over.abort(error)
          throw error
        }
        failed ??= error
      }
    }
    return part.map(() => undefined)
  }

  const answers = await pLimit(requestsInFlight).map(splitIntoRequests(sendable, itemsPerRequest), outcomesOf)
  const answered = answers.flat().values()
  const outcomes = refusals.map((code) => (code === undefined ? answered.next().value : failure(code)))
  if (failed !== undefined) throw new RequestFailed(failed.code, outcomes)
  return outcomes as O[]
}

/** The outcomes, with others at these places, once those are there. A RequestFailed carries both. */
export async function withOthers<O extends Tokenized | Detokenized>(
  outcomes: readonly O[],
  places: readonly number[],
  others: Promise<O[]>,
): Promise<O[]> {
  try {
    return replaced(outcomes, places, await others)
  } catch (error) {
    throw error instanceof RequestFailed
      ? new RequestFailed(error.code, replaced(outcomes, places, error.outcomes))
      : error
  }
}

function replaced<O>(outcomes: readonly O[], places: readonly number[], others: readonly O[]): O[] {
  const all = [...outcomes]
  places.forEach((place, i) => {
    all[place] = others[i] as O
  })
  return all
}
