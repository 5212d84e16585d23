import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { heldCoalescer, items, turn } from './held.ts'

test('an add of one beside an add of 1,000 is in the next batch', async () => {
  const { coalescer, batches } = heldCoalescer(20, 1)
  void coalescer.add(items('many', 1_000))
  await turn()
  void coalescer.add(['one'])
  await batches[0]?.finish()
  expect(batches[1]?.items).toContain('one')
})

test('every add has an item in the next batch, while there are no more adds than items in one', async () => {
  const { coalescer, batches } = heldCoalescer(20, 1)
  for (let i = 0; i < 20; i++) void coalescer.add(items(`${String.fromCharCode(97 + i)}`, 1 + 50 * i))
  await turn()
  expect(new Set(batches[0]?.items.map((item) => item[0]))).toHaveLength(20)
})

test('more adds than items in a batch take turns: none is served twice before each was once', async () => {
  const { coalescer, batches } = heldCoalescer(3, 1)
  for (const name of ['a', 'b', 'c', 'd', 'e']) void coalescer.add(items(name, 2))
  await turn()
  for (const i of [0, 1, 2]) await batches[i]?.finish()
  expect(batches.map((batch) => batch.items.join(' '))).toEqual(['a0 b0 c0', 'd0 e0 a1', 'b1 c1 d1', 'e1'])
})

test('one that comes late is served after those who wait, before they are served again', async () => {
  const { coalescer, batches } = heldCoalescer(2, 1)
  void coalescer.add(items('a', 9))
  void coalescer.add(items('b', 9))
  void coalescer.add(items('c', 9))
  await turn()
  void coalescer.add(['late'])
  await batches[0]?.finish()
  await batches[1]?.finish()
  expect(batches.map((batch) => batch.items.join(' '))).toEqual(['a0 b0', 'c0 a1', 'b1 late'])
})

test('the items of an add start in their order', async () => {
  const { coalescer, batches } = heldCoalescer(7, 2)
  void coalescer.add(items('a', 30))
  void coalescer.add(items('b', 30))
  await turn()
  for (let i = 0; i < 8; i++) await batches[i]?.finish()
  const started = batches.flatMap((batch) => batch.items)
  for (const name of ['a', 'b']) {
    expect(started.filter((item) => item.startsWith(name))).toEqual(items(name, 30))
  }
})

describe('while small adds come, bulk is kept to a light load', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())
  const wait = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  test('of 32 slots it has four, and all of them when no small add has come for a second', async () => {
    const { coalescer, batches } = heldCoalescer(20, 32)
    void coalescer.add(['small'])
    void coalescer.add(items('bulk', 1_000))
    await wait(0)
    expect(batches).toHaveLength(4)
    void batches[0]?.finish()
    await wait(999)
    expect(batches).toHaveLength(5)
    await wait(1)
    void batches[1]?.finish()
    await wait(0)
    expect(batches).toHaveLength(2 + 32)
  })

  test('a small add goes at once, without company of the bulk that has its share', async () => {
    const { coalescer, batches } = heldCoalescer(20, 32)
    void coalescer.add(['first'])
    void coalescer.add(items('bulk', 1_000))
    await wait(0)
    void coalescer.add(['second'])
    await wait(0)
    expect(batches.slice(4).map((batch) => batch.items)).toEqual([['second']])
  })

  test('many small adds fill batches, and take the slots that bulk leaves', async () => {
    const { coalescer, batches } = heldCoalescer(20, 32)
    void coalescer.add(items('bulk', 1_000))
    for (let i = 0; i < 200; i++) void coalescer.add(items(`small ${i}.`, 20))
    await wait(0)
    expect(batches.map((batch) => batch.items.length)).toEqual(Array(32).fill(20))
    expect(batches.filter((batch) => batch.items.some((item) => item.startsWith('bulk')))).toHaveLength(4)
  })

  test('bulk goes on beside a flood of small adds', async () => {
    const { coalescer, batches } = heldCoalescer(20, 32)
    const bulk = coalescer.add(items('bulk', 40))
    for (let i = 0; i < 60; i++) void coalescer.add(items(`small ${i}.`, 20))
    for (let i = 0; i < batches.length || i === 0; i++) {
      await wait(0)
      void batches[i]?.finish()
    }
    expect(await bulk).toHaveLength(40)
  })
})
