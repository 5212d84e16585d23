import { ContentRefused } from '../shared/errors/server-errors.ts'

/**
 * Runs a batch; where a healthy server refuses it for its content, halves it until the poisonous item stands alone, so
 * that one item cannot fail the others. Costs about 2·log2(n) calls for each poisonous item. Other errors pass through.
 */
export async function bisect<T, R>(
  items: readonly T[],
  run: (items: readonly T[]) => Promise<R[]>,
  poisonous: (item: T, error: ContentRefused) => R,
): Promise<R[]> {
  try {
    return await run(items)
  } catch (error) {
    if (!(error instanceof ContentRefused)) throw error
    if (items.length <= 1) return items.map((item) => poisonous(item, error))
  }
  const middle = Math.ceil(items.length / 2)
  const left = await bisect(items.slice(0, middle), run, poisonous)
  return [...left, ...(await bisect(items.slice(middle), run, poisonous))]
}
