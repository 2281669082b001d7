import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // A script of their own: vitest.slow.config.ts.
    exclude: ['test/**/*.slow.test.ts'],
    setupFiles: ['test/support/strict-process.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Most of the slow ones wait for processes: on two cores four at once take less than half the time of one.
    maxWorkers: Math.max(4, availableParallelism()),
    // Real processes and editors on a shared machine: a second try there, none at a desk.
    retry: process.env.CI ? 1 : 0,
  },
});
