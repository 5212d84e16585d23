import { configDefaults, defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // By a command of their own: vitest.faults.config.ts.
    exclude: [...configDefaults.exclude, 'test/faults/**'],
    globalSetup: ['test/stack.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
