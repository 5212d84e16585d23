import type { QueueName } from '../grammar.ts'
import { limits } from '../grammar.ts'

// What the AsyncAPI document says in words. For implementers, docs/contract/README.md says it at length.

export const overview = `Wire contract, version 1.

Messages are BullMQ jobs on Redis: the payload is the job's data, the headers here are the job's name and id. The key prefix
is \`bull\` unless the operator says otherwise. Times are Unix seconds. Base64 is the standard alphabet, padded, strict: what
does not come out of encoding the bytes again is refused. Grammars match whole strings. Unknown or missing members are
refused. Integers are written without fraction or exponent.

A session key is a Transit data key of 256 bits under \`queue-<queue>-<actor>\`, asked for with \`associated_data\` = base64 of
the lines \`pii1\`, \`session\`, queue, actor, until. All associated data (AAD) are such lines, joined by \\n, without one at the
end. \`until\` lies at most ${limits.sessionSeconds} s ahead; ${limits.clockSkewSeconds} s more are granted for clocks, here and for \`exp\`.

Bodies are base64 of iv (12 random bytes) ‖ ciphertext ‖ tag (16 bytes), AES-256-GCM under the session key. The plaintext is
JSON in UTF-8, padded with spaces to a multiple of ${limits.paddingBytes} bytes by whoever writes; readers take any padding that is JSON
whitespace. What it opens to is in \`x-body\`.

README.md has examples and the rules of waiting and resending, codes.md the codes, test/vectors test vectors.`

export const sealedRequest = (queue: QueueName): string =>
  `AAD: the lines \`pii1\`, \`request\`, \`${queue}\`, id, actor, until, exp, reply, items. Sent again byte for byte it has no second effect${
    queue === 'tokenize' ? '; other bytes under the same id are refused as `conflict`' : ''
  }.`

export const sealedReply = (queue: QueueName): string =>
  `AAD: the lines \`pii1\`, \`reply\`, \`${queue}\`, id, actor, request, items, ok, failed. A reply that does not open, or is to another request, is passed over.`
