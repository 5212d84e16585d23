import { defineConfig } from 'vitest/config'

/** `npm run test:faults`: one file after the other, since each has servers and several worker processes of its own. */
export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
