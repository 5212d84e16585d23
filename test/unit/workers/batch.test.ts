import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ItemErrorCode } from '../../../shared/errors/catalogue.ts'
import type { AuditedItem, Entry, OpenRequest } from '../../../workers/batch.ts'
import { fail, itemOf, live, through } from '../../../workers/batch.ts'

/** Stages look at nothing of the request. */
const request = {} as OpenRequest
const item = (index: number): AuditedItem => ({ request, index })
const anyBatch = fc
  .array(fc.option(fc.constantFrom<ItemErrorCode>('denied', 'not_found', 'corrupt')))
  .map((codes) => codes.map((code, i): Entry<AuditedItem> => (code === null ? live(item(i)) : fail(item(i), code))))

test('failed entries pass a stage by, and length and order stay', async () => {
  await fc.assert(
    fc.asyncProperty(anyBatch, fc.func(fc.boolean()), async (batch, refuses) => {
      const asked: number[] = []
      const result = await through(batch, (items) =>
        items.map((each) => {
          asked.push(each.index)
          return refuses(each.index) ? fail(each, 'corrupt') : live({ ...each, stamped: true })
        }),
      )
      expect(asked).toEqual(batch.flatMap((entry) => ('live' in entry ? [entry.live.index] : [])))
      expect(result.map((entry) => itemOf(entry).index)).toEqual(batch.map((_, i) => i))
      for (const [i, entry] of batch.entries()) {
        if ('failed' in entry) expect(result[i]).toBe(entry)
        else expect(result[i]).toEqual(refuses(i) ? fail(item(i), 'corrupt') : live({ ...item(i), stamped: true }))
      }
    }),
  )
})

test('a stage is not asked for a batch with nothing live in it', async () => {
  const batch = [fail(item(0), 'denied'), fail(item(1), 'expired')]
  const stage = () => {
    throw new Error('asked')
  }
  expect(await through(batch, stage)).toEqual(batch)
  expect(await through([], stage)).toEqual([])
})

test.each([0, 1, 3])(
  'a stage that answers %i entries for 2 items is a defect, and nobody gets another’s',
  async (count) => {
    const answer = Array.from({ length: count }, (_, i) => live(item(i)))
    await expect(through([live(item(0)), live(item(1))], () => answer)).rejects.toThrow('another number of items')
  },
)

test('a stage that fails as a whole fails the batch', async () => {
  const error = new Error('down')
  await expect(through([live(item(0))], () => Promise.reject(error))).rejects.toBe(error)
})
