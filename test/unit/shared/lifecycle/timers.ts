/* `node:timers/promises` on the timers that vitest controls, which leaves that module alone. */

const delay = (ms: number, value: unknown, { signal }: { signal: AbortSignal }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const timer = setTimeout(resolve, ms, value)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })

export { delay as setTimeout }
