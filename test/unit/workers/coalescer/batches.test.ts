import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { done, heldCoalescer, items } from './held.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Time goes on, and with it everything that is due: of 0, the current turn of the event loop. */
const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)

test('a lone item goes at once: no timer delays it', async () => {
  const { coalescer, batches } = heldCoalescer(20, 2)
  const added = coalescer.add(['a'])
  await wait(0)
  expect(batches.map((batch) => batch.items)).toEqual([['a']])
  void batches[0]?.finish(['A'])
  expect(await added).toEqual(['A'])
})

test('adds of one turn of the event loop share a batch', async () => {
  const { coalescer, batches } = heldCoalescer(20, 2)
  for (const name of ['a', 'b', 'c']) void coalescer.add([name])
  await wait(0)
  expect(batches.map((batch) => batch.items)).toEqual([['a', 'b', 'c']])
})

test('under a light load, an eighth of the slots, nobody waits for company; beyond it they do', async () => {
  const { coalescer, batches } = heldCoalescer(20, 32)
  for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) {
    void coalescer.add([name])
    await wait(0)
  }
  expect(batches.map((batch) => batch.items)).toEqual([['a'], ['b'], ['c'], ['d']])
  void batches[0]?.finish()
  await wait(0)
  expect(batches.slice(4).map((batch) => batch.items)).toEqual([['e', 'f']])
})

test('an add of nothing resolves, and starts nothing', async () => {
  const { coalescer, batches } = heldCoalescer(20, 2)
  expect(await coalescer.add([])).toEqual([])
  await wait(1_000)
  expect(batches).toEqual([])
})

test('under load every batch is full, whatever the size of the adds', async () => {
  const { coalescer, batches } = heldCoalescer(20, 3)
  for (let i = 0; i < 100; i++) void coalescer.add(items(`${i}.`, 1 + (i % 5)))
  await wait(0)
  for (let i = 0; i < 15; i++) {
    void batches[i]?.finish()
    await wait(0)
  }
  expect(coalescer.started).toEqual({ batches: 15, items: 300 })
  expect(batches.map((batch) => batch.items.length)).toEqual(Array(15).fill(20))
})

test('never more batches under way, nor more items in one, than allowed', async () => {
  const { coalescer, batches } = heldCoalescer(5, 2)
  void coalescer.add(items('a', 23))
  await wait(1_000)
  expect(batches.map((batch) => batch.items.length)).toEqual([5, 5])
  expect(coalescer.waiting).toBe(13)
  void batches[1]?.finish()
  await wait(0)
  expect(batches).toHaveLength(3)
})

test('`started` counts batches and items, and `waiting` those in none', async () => {
  const { coalescer, batches } = heldCoalescer(4, 1)
  void coalescer.add(items('a', 6))
  expect(coalescer.waiting).toBe(6)
  expect(coalescer.started).toEqual({ batches: 0, items: 0 })
  await wait(0)
  expect(coalescer.waiting).toBe(2)
  void batches[0]?.finish()
  await wait(0)
  expect(coalescer.started).toEqual({ batches: 2, items: 6 })
  expect(coalescer.waiting).toBe(0)
})

describe('a partial batch', () => {
  test('waits for company while others are under way, but not behind a slow one', async () => {
    const { coalescer, batches } = heldCoalescer(4, 2)
    void coalescer.add(items('slow', 4))
    await wait(0)
    void coalescer.add(['late'])
    await wait(19)
    expect(batches).toHaveLength(1)
    await wait(1)
    expect(batches[1]?.items).toEqual(['late'])
  })

  test('has its patience once: what trickles in after it does not prolong it', async () => {
    const { coalescer, batches } = heldCoalescer(100, 2)
    void coalescer.add(['slow'])
    await wait(0)
    void coalescer.add(['first'])
    for (let i = 0; i < 3; i++) {
      await wait(5)
      void coalescer.add([`${i}`])
    }
    await wait(5)
    expect(batches[1]?.items).toEqual(['first', '0', '1', '2'])
  })

  test('whose patience ended while every slot was taken goes with the first that is free', async () => {
    const { coalescer, batches } = heldCoalescer(4, 2)
    void coalescer.add(items('slow', 8))
    await wait(0)
    void coalescer.add(['late'])
    await wait(50)
    expect(batches).toHaveLength(2)
    void batches[0]?.finish()
    await wait(0)
    expect(batches[2]?.items).toEqual(['late'])
  })

  test('is patient again after one that was not', async () => {
    const { coalescer, batches } = heldCoalescer(4, 3)
    void coalescer.add(items('slow', 4))
    await wait(0)
    void coalescer.add(['late'])
    await wait(20)
    void coalescer.add(['later'])
    await wait(19)
    expect(batches).toHaveLength(2)
    await wait(1)
    expect(batches).toHaveLength(3)
  })

  test('that is the rest of a full one has patience of its own', async () => {
    const { coalescer, batches } = heldCoalescer(4, 3)
    void coalescer.add(items('slow', 4))
    await wait(0)
    void coalescer.add(['a'])
    await wait(15)
    void coalescer.add(items('b', 4))
    await wait(19)
    expect(batches.map((batch) => batch.items.length)).toEqual([4, 4])
    await wait(1)
    expect(batches[2]?.items).toEqual(['b3'])
  })

  test('goes at once when nothing is under way any more', async () => {
    const { coalescer, batches } = heldCoalescer(4, 2)
    const added = coalescer.add(items('a', 5))
    await wait(0)
    void batches[0]?.finish()
    await wait(0)
    void batches[1]?.finish()
    expect(await added).toEqual(items('a', 5).map(done))
  })
})

test('an idle coalescer keeps no timer', async () => {
  const { coalescer, batches } = heldCoalescer(4, 2)
  void coalescer.add(items('a', 5))
  await wait(0)
  for (const i of [0, 1]) {
    void batches[i]?.finish()
    await wait(1)
  }
  expect(vi.getTimerCount()).toBe(0)
})
