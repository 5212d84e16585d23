import { expect, test } from 'vitest'
import { Coalescer } from '../../../../workers/coalescer.ts'
import { done, heldCoalescer, items, turn } from './held.ts'

test('a batch that fails rejects every add with an item in it, and no other', async () => {
  const { coalescer, batches } = heldCoalescer(2, 2)
  const a = coalescer.add(['a'])
  const b = coalescer.add(['b'])
  const c = coalescer.add(['c'])
  const d = coalescer.add(['d'])
  const failed = Promise.allSettled([a, b])
  await turn()
  const error = new Error('broken')
  await batches[0]?.fail(error)
  await batches[1]?.finish()
  expect(await failed).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ])
  expect(await Promise.all([c, d])).toEqual([['done c'], ['done d']])
})

test('what is left of a rejected add is not started, and the others go on', async () => {
  const { coalescer, batches } = heldCoalescer(4, 1)
  const long = Promise.allSettled([coalescer.add(items('long', 100))])
  await turn()
  const other = coalescer.add(items('other', 6))
  await batches[0]?.fail(new Error('broken'))
  expect((await long)[0]?.status).toBe('rejected')
  expect(coalescer.waiting).toBe(2)
  await batches[1]?.finish()
  await batches[2]?.finish()
  expect(await other).toEqual(items('other', 6).map(done))
  expect(batches.slice(1).flatMap((batch) => batch.items)).toEqual(items('other', 6))
  expect(coalescer.waiting).toBe(0)
})

test('two batches of one add that both fail count its items once', async () => {
  const { coalescer, batches } = heldCoalescer(2, 2)
  const long = Promise.allSettled([coalescer.add(items('long', 9))])
  await turn()
  await batches[0]?.fail(new Error('first'))
  await batches[1]?.fail(new Error('second'))
  expect(await long).toEqual([{ status: 'rejected', reason: new Error('first') }])
  expect(coalescer.waiting).toBe(0)
  const next = coalescer.add(['next'])
  await turn()
  await batches[2]?.finish()
  expect(await next).toEqual(['done next'])
})

test('a batch under way that succeeds after its add was rejected changes nothing', async () => {
  const { coalescer, batches } = heldCoalescer(2, 2)
  const rejected = Promise.allSettled([coalescer.add(items('a', 3))])
  await turn()
  const company = coalescer.add(['b'])
  await turn()
  await batches[0]?.fail(new Error('broken'))
  await batches[1]?.finish()
  expect((await rejected)[0]?.status).toBe('rejected')
  expect(await company).toEqual(['done b'])
})

test.each([
  ['too few', ['x']],
  ['too many', ['x', 'y', 'z']],
  ['none', []],
])('an answer of another length is nobody’s: %s', async (_, results) => {
  const { coalescer, batches } = heldCoalescer(20, 1)
  const added = Promise.allSettled([coalescer.add(['a']), coalescer.add(['b'])])
  await turn()
  await batches[0]?.finish(results)
  for (const { status } of await added) expect(status).toBe('rejected')
})

test('a run that throws instead of rejecting is a batch that fails', async () => {
  const coalescer = new Coalescer<string, string>({
    batchItems: 2,
    batchesInFlight: 1,
    run: () => {
      throw new Error('thrown')
    },
  })
  await expect(coalescer.add(['a'])).rejects.toThrow('thrown')
  await expect(coalescer.add(['b'])).rejects.toThrow('thrown')
})
