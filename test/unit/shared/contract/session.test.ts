import { expect, test } from 'vitest'
import { openReply } from '../../../../producers/open-reply.ts'
import { Sessions } from '../../../../producers/sessions.ts'
import { Unavailable } from '../../../../shared/errors/server-errors.ts'
import type { Transit } from '../../../../shared/transit/index.ts'
import { readVectors } from './vectors.ts'

test('a reply whose session key cannot be unwrapped just now is not taken for a forged one, and so not discarded', async () => {
  const [, vector] = readVectors('reply').find(([name]) => name === 'detok-value') ?? []
  if (vector === undefined) throw new Error('no such vector')
  const { data, ticket, actor } = vector
  const sessionKey: Transit['sessionKey'] = async () => {
    throw new Unavailable('transit', 'server error')
  }
  const sessions = new Sessions({ sessionKey } as Transit, actor)
  await expect(openReply(data, ticket, actor, sessions, 'any session')).rejects.toThrow(Unavailable)
})

test('who asked with a session of its own takes no reply under another, and asks nobody about it', async () => {
  const [, vector] = readVectors('reply').find(([name]) => name === 'detok-value') ?? []
  if (vector === undefined) throw new Error('no such vector')
  const { data, ticket, actor } = vector
  const sessions = new Sessions({} as Transit, actor) // whoever asked it would fail
  expect(await openReply(data, ticket, actor, sessions, 'own session')).toBeUndefined()
})
