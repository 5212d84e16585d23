import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordAad, replyAad, requestAad, sessionAad } from '../../../../shared/contract/associated-data.ts'
import { queues } from '../../../../shared/contract/grammar.ts'

const queue = fc.constantFrom(...queues)
const actor = fc.stringMatching(/^[a-z0-9-]{1,12}$/)
const id = fc.uuid({ version: 7 })
const count = fc.nat(2_000)
const time = fc.nat()
const digest = fc.stringMatching(/^[0-9a-f]{64}$/)
const replyQueue = fc.stringMatching(/^reply-[a-z0-9-]{1,4}(\.[a-z0-9-]{1,4})?$/)
const token = fc.stringMatching(/^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
const subject = fc.oneof(fc.constant(''), fc.stringMatching(/^[!-~]{1,12}$/))
const field = fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/)

/** Every kind of associated data over fields of its grammar, with the fields it was made of. */
const made = fc.oneof(
  fc.tuple(queue, actor, time).map((f) => ({ of: ['session', ...f], bytes: sessionAad(...f) })),
  fc.tuple(queue, fc.record({ id, actor, until: time, exp: time, reply: replyQueue, items: count })).map(([q, r]) => ({
    of: ['request', q, r.id, r.actor, r.until, r.exp, r.reply, r.items],
    bytes: requestAad(q, r),
  })),
  fc.record({ queue, id, actor, request: digest, items: count, ok: count, failed: count }).map((r) => ({
    of: ['reply', r.queue, r.id, r.actor, r.request, r.items, r.ok, r.failed],
    bytes: replyAad(r),
  })),
  fc.tuple(actor, field, subject, token).map((f) => ({ of: ['record', ...f], bytes: recordAad(...f) })),
)

test('no two different lists of fields make the same associated data, whatever they are for', () => {
  fc.assert(
    fc.property(made, made, (a, b) => {
      expect(a.bytes.equals(b.bytes)).toBe(JSON.stringify(a.of) === JSON.stringify(b.of))
    }),
    { numRuns: 500 },
  )
})

test('associated data are the fields as lines after pii1, so the fields can be read back from them', () => {
  fc.assert(
    fc.property(made, ({ of, bytes }) => {
      expect(bytes.toString().split('\n')).toEqual(['pii1', ...of.map(String)])
    }),
  )
})

test('an absent subject is an empty line, not a missing one', () => {
  expect(recordAad('acme', 'email', '', 'tok_x').toString()).toBe('pii1\nrecord\nacme\nemail\n\ntok_x')
})
