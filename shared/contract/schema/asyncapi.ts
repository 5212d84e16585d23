import type { QueueName } from '../grammar.ts'
import { limits, queues } from '../grammar.ts'
import { jsonSchemas } from './json-schemas.ts'
import { overview, sealedReply, sealedRequest } from './prose.ts'

const reference = (path: string): { $ref: string } => ({ $ref: `#/${path}` })
const schemaReference = (name: string): { $ref: string } => reference(`components/schemas/${name}`)

/** An AsyncAPI 3.0 document of the contract, from the side of the workers: they receive requests and send replies. */
export function asyncApiDocument(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'pii-vault-workers',
      version: '1.0.0',
      description: overview,
      license: { name: 'Apache-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      ...Object.fromEntries(queues.map((queue) => [queue, requestChannel(queue)])),
      reply: {
        address: null,
        title: 'Reply queue',
        description:
          'The queue that the request names in `reply`: `reply-<actor>`, which all clients of an actor can share, or `reply-<actor>.<name>`.',
        messages: Object.fromEntries(
          [...queues.map((queue) => `${queue}Reply`), 'hint'].map((name) => [
            name,
            reference(`components/messages/${name}`),
          ]),
        ),
      },
    },
    operations: Object.fromEntries(queues.map((queue) => [queue, operation(queue)])),
    components: {
      messages: {
        ...Object.fromEntries(queues.flatMap((queue) => [requestMessage(queue), replyMessage(queue)])),
        hint: {
          name: 'hint',
          title: 'Hint',
          summary: 'The request could not be opened, so there was no key to seal an answer with. Never an outcome.',
          headers: jobHeaders('hint', 'hint.<queue>.<id>'),
          payload: schemaReference('hint'),
        },
      },
      correlationIds: {
        request: { description: 'The id of the request.', location: '$message.payload#/id' },
      },
      schemas: Object.fromEntries(
        Object.entries(jsonSchemas()).map(([name, { $schema: _, ...schema }]) => [name, schema]),
      ),
    },
  }
}

function requestChannel(queue: QueueName): object {
  const name = `${queue}Request`
  return {
    address: queue,
    title: `Queue ${queue}`,
    description: `Requests of 1 to ${limits.itemsPerRequest} items.`,
    messages: { [name]: reference(`components/messages/${name}`) },
  }
}

function operation(queue: QueueName): object {
  return {
    action: 'receive',
    channel: reference(`channels/${queue}`),
    title: queue === 'detok' ? 'Give out the values of tokens' : 'Store values, give out their tokens',
    messages: [reference(`channels/${queue}/messages/${queue}Request`)],
    reply: {
      address: { description: 'The reply queue of the request.', location: '$message.payload#/reply' },
      channel: reference('channels/reply'),
      messages: [reference(`channels/reply/messages/${queue}Reply`), reference('channels/reply/messages/hint')],
    },
  }
}

function requestMessage(queue: QueueName): [string, object] {
  return [
    `${queue}Request`,
    {
      name: queue,
      title: `Request on ${queue}`,
      description: sealedRequest(queue),
      headers: jobHeaders(queue, '<id>'),
      correlationId: reference('components/correlationIds/request'),
      payload: schemaReference('request'),
      'x-body': schemaReference(`${queue}-body`),
    },
  ]
}

function replyMessage(queue: QueueName): [string, object] {
  return [
    `${queue}Reply`,
    {
      name: 'reply',
      title: `Reply to ${queue}`,
      description: sealedReply(queue),
      headers: jobHeaders('reply', `${queue}.<id>.<first 16 digits of request>`),
      correlationId: reference('components/correlationIds/request'),
      payload: schemaReference('reply'),
      'x-body': schemaReference(`${queue}-reply-body`),
    },
  ]
}

/** What BullMQ keeps of a job beside its data. */
function jobHeaders(name: string, id: string): object {
  return {
    type: 'object',
    required: ['name', 'jobId'],
    properties: {
      name: { type: 'string', const: name, description: 'The name of the job.' },
      jobId: { type: 'string', description: `The id of the job: ${id}` },
    },
  }
}
