import { defineConfig } from 'vitest/config'

/** `npm run soak` is the same with SOAK_MINUTES, and takes as long. `npm run test:faults`: one file after the other, since each has servers and several worker processes of its own. */
export default defineConfig({
  test: {
    include: [process.env['SOAK_MINUTES'] === undefined ? 'test/faults/**/*.test.ts' : 'test/faults/soak.ts'],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 120_000,
  },
})
