import fc from 'fast-check'
import { expect, test } from 'vitest'
import { done, heldCoalescer, items, turn } from './held.ts'

/** What happens from outside: an add of so many items, or the end of a batch under way, well or badly. */
const anyStep = fc.oneof(
  fc.record({ do: fc.constant('add' as const), size: fc.integer({ min: 1, max: 30 }) }),
  fc.record({ do: fc.constantFrom('finish' as const, 'fail' as const), which: fc.nat(10) }),
)
const limits = { batchItems: fc.integer({ min: 1, max: 8 }), batchesInFlight: fc.integer({ min: 1, max: 4 }) }

test('whatever the order of arrivals and ends, each caller gets its own results, in order, and none is forgotten', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(anyStep, fc.boolean()), { maxLength: 40 }),
      fc.record(limits),
      async (steps, { batchItems, batchesInFlight }) => {
        const { coalescer, batches } = heldCoalescer(batchItems, batchesInFlight)
        const adds: { items: string[]; outcome: Promise<PromiseSettledResult<string[]>> }[] = []
        const failed = new Set<string>()
        const open = new Set<number>()
        let seen = 0
        const look = () => {
          for (; seen < batches.length; seen++) open.add(seen)
          expect(open.size).toBeLessThanOrEqual(batchesInFlight)
        }
        const end = async (number: number, how: 'finish' | 'fail') => {
          open.delete(number)
          const batch = batches[number]
          if (how === 'finish') return batch?.finish()
          for (const item of batch?.items ?? []) failed.add(item.split('/')[0] as string)
          return batch?.fail(new Error('broken'))
        }

        for (const [step, pause] of steps) {
          if (step.do === 'add') {
            const added = items(`${adds.length}/`, step.size)
            const outcome = Promise.allSettled([coalescer.add(added)]).then(([only]) => only)
            adds.push({ items: added, outcome })
          } else if (open.size > 0) {
            await end([...open][step.which % open.size] as number, step.do)
          }
          if (pause) await turn()
          look()
        }
        // No wake-up may be lost: ending what is under way, and nothing else, must bring everything to its end.
        for (;;) {
          await turn()
          look()
          const [first] = open
          if (first === undefined) break
          await end(first, 'finish')
        }

        for (const [number, add] of adds.entries()) {
          const outcome = await add.outcome
          if (failed.has(`${number}`)) expect(outcome.status).toBe('rejected')
          else expect(outcome).toEqual({ status: 'fulfilled', value: add.items.map(done) })
        }
        expect(coalescer.waiting).toBe(0)
        const started = batches.flatMap((batch) => batch.items)
        expect(new Set(started).size).toBe(started.length)
        expect(coalescer.started).toEqual({ batches: batches.length, items: started.length })
        expect(Math.max(0, ...batches.map((batch) => batch.items.length))).toBeLessThanOrEqual(batchItems)
      },
    ),
    { numRuns: 300 },
  )
})
