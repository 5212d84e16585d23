import * as grammar from '../../shared/contract/grammar.ts'
import type { TokenizeBody } from '../../shared/contract/request.ts'
import { Secret } from '../../shared/crypto/secret.ts'
import type { ItemErrorCode } from '../../shared/errors/catalogue.ts'
import type { Entry, OpenRequest } from '../batch.ts'
import { fail, live } from '../batch.ts'
import type { Labelled } from './authorize.ts'

export type GivenItem = Labelled & { readonly value: Secret }

/** The items of an opened tokenize request. Of what is refused, only what passed its grammar is carried on. */
export function givenItems(request: OpenRequest, { items }: TokenizeBody): Entry<GivenItem>[] {
  return items.map(({ field, subject, value }, index) => {
    const problem = problemOf(value)
    const label = {
      field: grammar.fieldName.safeParse(field).data,
      subject: subject === undefined ? '' : grammar.subject.safeParse(subject).data,
    }
    if (problem !== undefined || label.field === undefined || label.subject === undefined) {
      return fail({ request, index, ...label }, problem ?? 'invalid')
    }
    if (request.tenant === undefined) return fail({ request, index, ...label }, 'denied')
    return live({ request, index, field: label.field, subject: label.subject, value: new Secret(value) })
  })
}

/** A lone surrogate has no UTF-8 form: it would become U+FFFD on its way, and another value come back. */
function problemOf(value: string): ItemErrorCode | undefined {
  if (!value.isWellFormed()) return 'invalid'
  return Buffer.byteLength(value) > grammar.limits.valueBytes ? 'too_large' : undefined
}
