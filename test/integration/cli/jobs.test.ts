import { beforeAll, beforeEach, expect, test } from 'vitest'
import { exitCodes } from '../../../shared/errors/user-error.ts'
import { freePort } from '../../harness/free-port.ts'
import type { RawRequest } from '../../harness/raw-producer.ts'
import { now, RawProducer } from '../../harness/raw-producer.ts'
import { until } from '../../harness/until.ts'
import type { TestActor } from '../../harness/vault.ts'
import { useCli } from './use-cli.ts'

const cli = useCli()
let actor: TestActor
let raw: RawProducer
let env: Record<string, string>
const canary = 'ada.lovelace@example.com'
const purpose = 'test'
const asking = { purpose, items: [{ token: `tok_${'0'.repeat(26)}` }] }

beforeAll(async () => {
  actor = await cli.vault.actor('asks')
  raw = new RawProducer(cli.vault, actor)
  // As an operator: by the server's own user, and nothing of OpenBao or Postgres.
  env = { QUEUE_URL: cli.vault.stack.queueUrl, QUEUE_PREFIX: cli.vault.prefix }
})
beforeEach(async () => {
  for (const queue of ['dead-detok', 'dead-tokenize', 'detok', 'tokenize'])
    await cli.vault.queue(queue).obliterate({ force: true })
})

const jobs = (...args: string[]) => cli.run(['jobs', ...args], { env })

/** Puts a request on the queue, has a worker refuse it, and gives the id of its dead letter. */
async function refused(request: RawRequest): Promise<string> {
  const replica = await cli.vault.replica(request.queue)
  await raw.put(request)
  const letter = await until('it is a dead letter', async () => {
    const letters = await cli.vault.queue(`dead-${request.queue}`).getJobs()
    return letters.find((job) => (job.data as { id: string }).id === request.envelope.id)
  })
  await replica.close(5_000)
  return letter.id ?? ''
}

const malformed = () => raw.request('detok', { ...asking, more: 1 })

test('status tells how much waits on each queue, small and bulk requests together', async () => {
  await raw.put(await raw.request('detok', asking))
  await raw.put(await raw.request('detok', asking), { priority: 7 })
  const reply = `reply-${actor.name}`
  await cli.vault.queue(reply).add('reply', {})
  const { code, stdout } = await jobs('status', '--json')
  expect(code).toBe(0)
  const found = JSON.parse(stdout) as { queues: object[]; replies: object[] }
  expect(found.queues).toMatchObject([
    { queue: 'detok', waiting: 2, active: 0, deadLetters: 0, oldestSeconds: expect.any(Number) },
    { queue: 'tokenize', waiting: 0, active: 0, deadLetters: 0, oldestSeconds: null },
  ])
  expect(found.replies).toMatchObject([{ queue: reply, waiting: 1 }])
  expect((await jobs('status')).stdout).toMatch(/^queue +waiting +oldest +active +dead letters\ndetok +2 /)
  await cli.vault.queue(reply).obliterate({ force: true })
})

test('list and show tell all that is known of a dead letter, and nothing of its body', async () => {
  const request = await malformed()
  const id = await refused(request)
  const listed = await jobs('list')
  expect(listed.stdout).toMatch(new RegExp(`^id .*\n${id} +malformed .* ${actor.name} `))
  const { stdout } = await jobs('show', id, '--json')
  expect(JSON.parse(stdout)).toMatchObject({
    id,
    jobId: request.envelope.id,
    queue: 'detok',
    code: 'malformed',
    answered: true,
    attempts: 1,
    request: { actor: actor.name, items: 1 },
  })
  expect(stdout).not.toContain(request.envelope.body)
  expect((await jobs('list', '--code', 'expired')).stderr).toBe('There are no such dead letters.\n')
  expect((await jobs('list', '--queue', 'tokenize', '--json')).stdout).toBe('[]\n')
})

test('a value that was put on the queue in the clear is in nothing that is shown', async () => {
  const request = await raw.request('detok', asking)
  const replica = await cli.vault.replica('detok')
  await raw.put(request, { data: { email: canary } })
  const dead = cli.vault.queue('dead-detok')
  const [letter] = await until('it is a dead letter', async () => {
    const letters = await dead.getJobs()
    return letters.length > 0 && letters
  })
  await replica.close(5_000)
  for (const args of [['list'], ['list', '--json'], ['show', letter?.id ?? ''], ['show', letter?.id ?? '', '--json']]) {
    const { code, stdout, stderr } = await jobs(...args)
    expect(code).toBe(0)
    expect(stdout + stderr).not.toContain(canary)
  }
  const { code, stderr } = await jobs('redrive', letter?.id ?? '')
  expect(code).toBe(exitCodes.failed)
  expect(stderr).toContain('cannot be put back')
})

test('redrive has a request processed again, under its id, byte for byte, and removes the letter', async () => {
  // As if its workers had died of it too often.
  const request = await raw.request('detok', asking)
  await raw.put(request)
  const job = await cli.vault.queue('detok').getJob(request.envelope.id)
  const replica = await cli.vault.replica('detok')
  expect(await raw.reply(request)).toEqual({ items: [{ error: 'not_found' }] })
  await replica.close(5_000)
  await cli.vault.queue(request.envelope.reply).obliterate({ force: true })
  const letter = {
    v: 1,
    queue: 'detok',
    code: 'unavailable',
    at: new Date().toISOString(),
    worker: 'gone',
    attempts: 6,
    answered: false,
    id: job?.id,
    bytes: 1,
    request: request.envelope,
  }
  const id = `detok.${'0'.repeat(16)}.1`
  await cli.vault.queue('dead-detok').add('dead', letter, { jobId: id })
  const { code, stderr } = await jobs('redrive', id)
  expect([code, stderr]).toEqual([0, '1 put on its queue again.\n'])
  expect(await cli.vault.queue('dead-detok').getJobs()).toEqual([])
  const put = await cli.vault.queue('detok').getJob(request.envelope.id)
  expect(put?.data).toEqual(request.envelope)
  const again = await cli.vault.replica('detok')
  expect(await raw.reply(request)).toEqual({ items: [{ error: 'not_found' }] })
  await again.close(5_000)
})

test('a refusal that is still unread does not keep the new reply away, and a new refusal leaves a new letter', async () => {
  const request = await malformed()
  const id = await refused(request)
  const { code } = await jobs('redrive', '--all', '--code', 'malformed')
  expect(code).toBe(0)
  const replies = () => cli.vault.queue(request.envelope.reply).getJobs()
  expect((await replies()).filter((job) => (job.data as { id: string }).id === request.envelope.id)).toEqual([])
  const replica = await cli.vault.replica('detok')
  expect(await raw.reply(request)).toEqual({ error: 'malformed' })
  const letters = await until('it is a dead letter again', async () => {
    const found = await cli.vault.queue('dead-detok').getJobs()
    return found.length > 0 && found
  })
  await replica.close(5_000)
  expect(letters.map((letter) => letter.id)).not.toContain(id)
})

test('what has expired is left, unless it is forced', async () => {
  const id = await refused(await raw.request('detok', asking, { exp: now() - 600 }))
  const left = await jobs('redrive', id)
  expect(left.code).toBe(exitCodes.failed)
  expect(left.stderr).toContain('has expired, and would be refused again')
  expect((await jobs('redrive', id, '--force')).code).toBe(0)
  expect(await cli.vault.queue('detok').count()).toBe(1)
})

test('drop removes those that are named, and all of a kind with --yes alone', async () => {
  const [one, two] = [await refused(await malformed()), await refused(await malformed())]
  expect(await jobs('drop', one)).toMatchObject({ code: 0, stderr: '1 removed.\n' })
  const hasty = await jobs('drop', '--all')
  expect(hasty.code).toBe(exitCodes.usage)
  expect(hasty.stderr).toContain('--yes')
  expect((await jobs('list')).stdout).toContain(two)
  expect(await jobs('drop', '--all', '--yes')).toMatchObject({ code: 0, stderr: '1 removed.\n' })
  expect(await jobs('drop', '--all', '--yes')).toMatchObject({ code: 0 })
})

test.each([
  [['show', 'detok.x.1'], exitCodes.failed, 'There is no dead letter "detok.x.1"'],
  [['drop', 'detok.x.1'], exitCodes.failed, 'There is no dead letter "detok.x.1"'],
  [['redrive'], exitCodes.usage, 'Name the dead letters by their ids, or say --all.'],
  [['redrive', 'x', '--all'], exitCodes.usage, 'Name the dead letters by their ids, or say --all.'],
  [['drop', 'x', '--code', 'expired'], exitCodes.usage, '--queue and --code go with --all'],
  [['list', '--code', 'nonsense'], exitCodes.usage, 'Allowed choices are'],
  [['list', '--limit', '0'], exitCodes.usage, 'a whole number, at least 1'],
])('jobs %j: exit code %i, and what to do', async (args, code, message) => {
  const ended = await jobs(...args)
  expect(ended.code).toBe(code)
  expect(ended.stderr).toContain(message)
})

test('a server that is not there is said, and its password is not', async () => {
  const url = `redis://:${canary.slice(0, 3)}secret@127.0.0.1:${await freePort()}`
  const { code, stderr } = await cli.run(['jobs', 'status'], { env: { QUEUE_URL: url } })
  expect(code).toBe(exitCodes.failed)
  expect(stderr).toContain('(QUEUE_URL) does not answer')
  expect(stderr).not.toContain('secret')
})
