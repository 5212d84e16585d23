import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/{unit,integration,fuzz}/**/*.test.ts'],
    globalSetup: ['test/stack.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
