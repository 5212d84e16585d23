import { setTimeout as delay } from 'node:timers/promises'

const intervalMs = 25

/** Asks again and again until the answer is yes. False if the deadline came first. */
export async function waitUntil(condition: () => Promise<boolean> | boolean, deadlineMs: number): Promise<boolean> {
  const end = performance.now() + deadlineMs
  while (!(await condition())) {
    if (performance.now() > end) return false
    await delay(intervalMs)
  }
  return true
}
