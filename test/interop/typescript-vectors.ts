import { randomBytes } from 'node:crypto'
import { sealRequest } from '../../producers/request.ts'
import { replyAad, sessionAad } from '../../shared/contract/associated-data.ts'
import type { QueueName } from '../../shared/contract/grammar.ts'
import type { DetokReplyBody, TokenizeReplyBody } from '../../shared/contract/reply.ts'
import type { DetokBody, TokenizeBody } from '../../shared/contract/request.ts'
import { digestOf, sealBody } from '../../shared/contract/seal.ts'
import { aesKey } from '../../shared/crypto/aes-gcm.ts'
import { sealRecord } from '../../shared/crypto/record.ts'
import { Secret } from '../../shared/crypto/secret.ts'
import { mintToken } from '../../shared/crypto/token.ts'

const actor = 'svc-import'
const reply = `reply-${actor}.ts`
const wrapped = `vault:v1:${randomBytes(60).toString('base64')}`
const texts = [
  '',
  'a@example.com',
  ' Zoë Zoe\u0308 ',
  '👩‍👩‍👧‍👦',
  'nul \u0000 inside',
  '\u2028\u2029',
  '"\\/',
  'x'.repeat(65_536),
]

/** Vectors in the form of test/vectors, sealed just now with random keys by what producers and workers use. */
export function typescriptVectors(): Record<string, object> {
  const tokens = texts.map(() => mintToken())
  const detok: DetokBody = { purpose: 'export', reason: 'é', items: tokens.map((token) => ({ token })) }
  const tokenize: TokenizeBody = { purpose: 'import', items: texts.map((value) => ({ field: 'note', value })) }
  const values: DetokReplyBody = { items: texts.map((value) => ({ value, mask: 'full' })) }
  const minted: TokenizeReplyBody = { items: tokens.map((token) => ({ token })) }
  const good = request('detok', detok)
  return {
    'request-detok': good,
    'request-tokenize': request('tokenize', tokenize),
    'reply-detok': replyVector('detok', values, texts.length),
    'reply-tokenize': replyVector('tokenize', minted, texts.length),
    'reply-refusal': replyVector('tokenize', { error: 'conflict' }, 3),
    'request-altered': {
      ...good,
      data: { ...good.data, exp: good.data.exp - 1 },
      verdict: 'seal',
      code: 'unauthenticated',
      answer: 'hint',
      opens_to: undefined,
      items: undefined,
    },
    ...Object.fromEntries(texts.map((text, i) => [`record-${i}`, record(text)])),
  }
}

function request(queue: QueueName, body: DetokBody | TokenizeBody) {
  const { until, key, held } = session(queue)
  const { envelope: data } = sealRequest(queue, actor, reply, { key, wrapped, until }, 60_000, body)
  return {
    kind: 'request',
    queue,
    now: Math.floor(Date.now() / 1_000),
    job: { name: queue, id: data.id },
    data,
    session: held,
    verdict: 'accept',
    opens_to: body,
    items: body.items.map(() => null),
  }
}

function replyVector(queue: QueueName, content: DetokReplyBody | TokenizeReplyBody, items: number) {
  const { until, key, held } = session(queue)
  const ok = 'items' in content ? items : 0
  const clear = {
    id: '01a0c5d8-3d00-7abc-9def-0123456789ab',
    actor,
    queue,
    request: digestOf(randomBytes(64)),
    items,
    ok,
    failed: items - ok,
  }
  const body = sealBody(key, content, replyAad(clear)).toString('base64')
  const data = { v: 1, ...clear, session: wrapped, until, body }
  const ticket = { queue, id: clear.id, request: clear.request, items, reply, exp: until }
  return { kind: 'reply', actor, ticket, data, session: held, verdict: 'accept', opens_to: content }
}

function record(value: string) {
  const dek = randomBytes(32)
  const label = { tenant: 'acme', field: 'note', subject: value.length % 2 === 0 ? '' : 'cust-17', token: mintToken() }
  const ciphertext = sealRecord(dek, new Secret(value), label).toString('base64')
  return { kind: 'record', dek: dek.toString('base64'), label, ciphertext, verdict: 'accept', opens_to: value }
}

/** A session and what an OpenBao would hold of it. */
function session(queue: QueueName) {
  const until = Math.floor(Date.now() / 1_000) + 3_600
  const plaintext = randomBytes(32)
  const held = {
    transit_key: `queue-${queue}-${actor}`,
    associated_data: sessionAad(queue, actor, until).toString('base64'),
    ciphertext: wrapped,
    plaintext: plaintext.toString('base64'),
  }
  return { until, key: aesKey(plaintext), held }
}
