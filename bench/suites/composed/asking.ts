import type { Client } from '../../../producers/index.ts'
import type { Bench } from '../../bench.ts'
import { recordsOf } from '../../load/backlog.ts'
import { valueItem } from '../../load/items.ts'

const purpose = 'bench'

/** A call for one token, another one each time. It throws where there is no value. */
export const detokOne = async (bench: Bench, client: Client): Promise<(index: number) => Promise<void>> =>
  asking(bench, client, 'detok', 1)

/** The client's calls of one direction and size. */
export async function asking(
  bench: Bench,
  client: Client,
  queue: 'detok' | 'tokenize',
  items: number,
): Promise<(index: number) => Promise<void>> {
  const tokens = await bench.tokens(recordsOf(bench))
  return async (index) => {
    const places = Array.from({ length: items }, (_, i) => index * items + i)
    const outcomes =
      queue === 'detok'
        ? await client.detok(
            places.map((place) => tokens[place % tokens.length] as string),
            { purpose },
          )
        : await client.tokenize(places.map(valueItem), { purpose })
    if (outcomes.length !== items || outcomes.some(({ ok }) => !ok)) throw new Error('an item failed')
  }
}
