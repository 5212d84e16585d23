import * as grammar from '../../shared/contract/grammar.ts'
import type { DetokBody } from '../../shared/contract/request.ts'
import type { Entry, OpenRequest } from '../batch.ts'
import { fail, live } from '../batch.ts'
import { ReplyBudget } from '../reply-budget.ts'
import type { AskedItem } from './lookup.ts'

/**
 * The items of an opened detok request. Only a well-formed token is carried on: anything else could be a value handed in by
 * mistake, and must not be kept.
 */
export function askedItems(request: OpenRequest, { items }: DetokBody): Entry<AskedItem>[] {
  const budget = new ReplyBudget()
  let turn = 0
  return items.map(({ token }, index) => {
    if (!grammar.token.safeParse(token).success) return fail({ request, index }, 'invalid')
    if (request.tenant === undefined) return fail({ request, index, token }, 'denied')
    return live({ request, index, token, budget, turn: turn++ })
  })
}
