import { expect, test } from 'vitest'
import { MemoryWatch } from '../../../bench/measure/memory-watch.ts'

test.runIf(process.platform === 'linux')('the memory of a process is seen over time, and its peak', () => {
  const watch = new MemoryWatch({ self: process.pid, elsewhere: undefined })
  watch.stop()
  const peak = watch.peakOf('self') ?? 0
  expect(peak).toBeGreaterThan(1)
  const course = watch.course('self', 4)
  expect(course).toHaveLength(4)
  for (const amount of course) if (amount !== undefined) expect(amount).toBeLessThanOrEqual(peak)
  expect(course.at(-1)).toBeDefined()
})

test('of a process that is not to be seen there is neither', () => {
  const watch = new MemoryWatch({ elsewhere: undefined })
  watch.stop()
  expect(watch.peakOf('elsewhere')).toBeUndefined()
  expect(watch.course('elsewhere', 2)).toEqual([undefined, undefined])
})
