import type { Job, JobJson } from 'bullmq'
import { Redis } from 'ioredis'
import { describe, expect, onTestFinished, test } from 'vitest'
import { IntakeWorker } from '../../../workers/intake.ts'
import { UnreadableData } from '../../../workers/readable-jobs.ts'

/** Fetches what the test gives it; no Redis is there, and none is needed for the count. */
class Intake extends IntakeWorker {
  fetch(data: string, more: Partial<JobJson> = {}): Job<unknown> {
    return this.createJob({ name: 'detok', data, opts: {}, ...more } as JobJson, '1')
  }
}

function openIntake(): Intake {
  const connection = new Redis({ port: 1, lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: null })
  connection.on('error', () => undefined)
  const intake = new Intake('detok', async () => undefined, { connection, autorun: false })
  intake.on('error', () => undefined)
  onTestFinished(() => connection.disconnect())
  return intake
}
const request = (items: unknown) => JSON.stringify({ items })

test('jobs are counted by their items, and given back when they are done', () => {
  const intake = openIntake()
  const jobs = [intake.fetch(request(1)), intake.fetch(request(200))]
  expect([intake.jobsInHand, intake.itemsInHand]).toEqual([2, 201])
  for (const job of jobs) intake.done(job)
  expect([intake.jobsInHand, intake.itemsInHand]).toEqual([0, 0])
})

test('with 1,280 items in hand nothing more is fetched, however few the jobs, until some are done', () => {
  const intake = openIntake()
  const first = intake.fetch(request(1_000))
  expect(intake.concurrency).toBeGreaterThan(intake.jobsInHand)
  intake.fetch(request(279))
  expect(intake.concurrency).toBeGreaterThan(intake.jobsInHand)
  intake.fetch(request(1))
  expect(intake.concurrency).toBe(intake.jobsInHand)
  intake.done(first)
  expect(intake.concurrency).toBeGreaterThan(intake.jobsInHand)
})

test('jobs of one item can fill all the room there is', () => {
  const intake = openIntake()
  for (let i = 0; i < 1_279; i++) intake.fetch(request(1))
  expect(intake.concurrency).toBeGreaterThan(intake.jobsInHand)
  intake.fetch(request(1))
  expect(intake.concurrency).toBe(1_280)
})

test.each([undefined, null, '20', 0, -5, 1.5, 1_001, 1e300])(
  'items of %j count as one: nobody can lie the count away',
  (items) => {
    const intake = openIntake()
    const job = intake.fetch(request(items))
    expect(intake.itemsInHand).toBe(1)
    intake.done(job)
    expect(intake.itemsInHand).toBe(0)
  },
)

describe('what a producer set of a job is not taken', () => {
  test('attempts and retention', () => {
    const opts = { attempts: 99, removeOnComplete: false, removeOnFail: { count: 5 } }
    const job = openIntake().fetch(request(1), { opts })
    expect(job.opts).toMatchObject({ attempts: 1, removeOnComplete: true, removeOnFail: true })
  })

  test('repetition', () => {
    const job = openIntake().fetch(request(1), { repeatJobKey: 'repeat:x' })
    expect(job.repeatJobKey).toBeUndefined()
  })
})

test.each(['CANARY', '{"items": 1', 'ö', '\u0000'])(
  'of data that is no JSON, its size reaches the processor and nothing else: %j',
  (data) => {
    const job = openIntake().fetch(data)
    expect(job.data).toEqual(new UnreadableData(Buffer.byteLength(data)))
  },
)

test('no data at all is an empty object', () => {
  expect(openIntake().fetch('').data).toEqual({})
})

test('a job that was found stalled too often is given up, and only it', () => {
  const intake = openIntake()
  const stalled = intake.fetch(request(1), { deferredFailure: 'job stalled more than allowable limit' })
  const other = intake.fetch(request(1))
  expect([stalled, other].map((job) => intake.isGivenUp(job))).toEqual([true, false])
  expect(stalled.deferredFailure).toBeUndefined()
})
