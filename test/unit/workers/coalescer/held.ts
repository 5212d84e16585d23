import { Coalescer } from '../../../../workers/coalescer.ts'

export interface HeldBatch {
  readonly items: string[]
  /** Ends the batch; without results, each item comes back as `done ITEM`. */
  readonly finish: (results?: string[]) => Promise<void>
  readonly fail: (error: Error) => Promise<void>
}

export const done = (item: string): string => `done ${item}`

/** `count` items, told apart by the name of their add. */
export const items = (name: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${name}${i}`)

/** Lets go by what is due in this turn of the event loop: the coalescer starts batches right after the current one. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** A coalescer whose batches end when the test says so. */
export function heldCoalescer(batchItems: number, batchesInFlight: number) {
  const batches: HeldBatch[] = []
  const run = (batch: string[]): Promise<string[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>()
    batches.push({
      items: batch,
      finish: (results = batch.map(done)) => {
        resolve(results)
        return turn()
      },
      fail: (error) => {
        reject(error)
        return turn()
      },
    })
    return promise
  }
  return { coalescer: new Coalescer({ batchItems, batchesInFlight, run }), batches }
}
