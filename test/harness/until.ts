import { setTimeout as delay } from 'node:timers/promises'

/**
 * Asks until there is an answer, and gives it. A test that waits for a condition is as fast as what it waits for; a busy
 * machine is given time.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 20_000,
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain: ${what}`)
    await delay(20)
  }
}
