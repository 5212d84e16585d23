import { afterAll, beforeAll, expect, test } from 'vitest'
import { ReplyListener } from '../../../producers/reply-listener.ts'
import { createLogger } from '../../../shared/log/log.ts'
import { connectQueue } from '../../../shared/queue/connection.ts'
import { TestVault } from '../../harness/vault.ts'

let vault: TestVault
let listener: ReplyListener
const name = 'reply-listener'

beforeAll(async () => {
  vault = await TestVault.open()
  const log = createLogger('silent', 'test')
  const [commands, blocking] = [1, 2].map(() => connectQueue(vault.stack.queueUrl, log, 'patient'))
  if (commands === undefined || blocking === undefined) throw new Error('no connections')
  listener = new ReplyListener(name, vault.prefix, { commands, blocking }, log)
  await listener.ready()
  vault.onClose(async () => {
    await listener.close()
    commands.disconnect()
    blocking.disconnect()
  })
})
afterAll(() => vault.close())

test('an answer whose event was missed is found, however many wait before it for answers that do not come', async () => {
  const leave = new AbortController()
  const queue = vault.queue(name)
  await queue.add('reply', { hello: 1 }, { jobId: 'came-unnoticed' })
  expect(await queue.getJob('came-unnoticed')).toBeDefined()
  const waiting = Array.from({ length: 250 }, (_, i) => listener.next([`never-${i}`], leave.signal, 'later'))
  const found = listener.next(['came-unnoticed'], leave.signal, 'later')
  expect(await found).toEqual({ jobId: 'came-unnoticed', content: { hello: 1 } })
  leave.abort(new Error('enough'))
  for (const wait of waiting) await expect(wait).rejects.toThrow('enough')
})
