// What the documents say of each member. A test of the generator fails if a member has no line here, or a line no member.

const id = 'Request id, a UUIDv7 in lower case; the same as the id of the job.'
const actor = 'The producer, by the name of its OpenBao role.'
const session = 'The session key, wrapped by the Transit key `queue-<queue>-<actor>`.'
const until =
  'Unix seconds; nothing under the session is accepted later. Part of the associated data of the session key.'
const error = 'Why the request was refused as a whole; see codes.md.'
const itemError = 'Why the item has no result; see codes.md.'

export const descriptions: Record<string, Record<string, string>> = {
  request: {
    v: 'Version of the contract.',
    id,
    actor,
    session,
    until,
    exp: "Unix seconds: the request's own deadline, at most `until`. Workers add 120 s for clocks.",
    reply: 'Reply queue: `reply-<actor>` or `reply-<actor>.<name>`, of the same actor.',
    items: 'How many items the body has. More than 1,000 are answered with `too_large`.',
    body: 'Strict base64 of iv (12 bytes) ‖ ciphertext ‖ tag (16 bytes). More than 1 MiB decoded is answered with `too_large`.',
  },
  'detok-body': {
    purpose: 'Why the values are needed: the policy decides by it, the audit keeps it.',
    reason: 'For the audit. At most 256 code points, no control characters, no lone surrogates. Absent, never null.',
    items: 'As many as the clear field `items` says.',
    'items.token':
      'A string that is no token, `^tok_[0-7][0-9a-hjkmnp-tv-z]{25}$`, is answered with `invalid` for this item.',
  },
  'tokenize-body': {
    purpose: 'Why the values are stored: the policy decides by it, the audit keeps it.',
    reason: 'For the audit. At most 256 code points, no control characters, no lone surrogates. Absent, never null.',
    items: 'As many as the clear field `items` says.',
    'items.field': 'What the value is, `^[a-z][a-z0-9_]{0,63}$`; else `invalid` for this item.',
    'items.subject': 'Whom the value is about, `^[!-~]{1,128}$`; else `invalid` for this item. Absent, never null.',
    'items.value':
      'At most 65,536 bytes of UTF-8, else `too_large` for this item; a lone surrogate makes it `invalid`.',
  },
  reply: {
    v: 'Version of the contract.',
    id: 'Id of the request.',
    actor: 'The producer of the request.',
    queue: 'The queue the request was on.',
    session: 'The session of the request; its key sealed the body of this reply.',
    until: 'As in the request.',
    request: "Hex SHA-256 of the bytes of the request's body, decoded: the answer is to these bytes and no others.",
    items: 'As in the request; more than 1,000 only where it was refused for that.',
    ok: 'How many items have a result.',
    failed: 'How many items have none.',
    body: 'Strict base64 of iv (12 bytes) ‖ ciphertext ‖ tag (16 bytes).',
  },
  'detok-reply-body': {
    items: "An outcome per item, in the request's order and length.",
    'items.value': 'The value, as much of it as `mask` shows.',
    'items.mask': 'How much of the value the actor may see.',
    'items.error': itemError,
    error,
  },
  'tokenize-reply-body': {
    items: "An outcome per item, in the request's order and length.",
    'items.token': 'The token under which the value is stored.',
    'items.error': itemError,
    error,
  },
  hint: { code: 'What a worker found; anyone who holds Redis could forge it, so it is never an outcome.' },
}
