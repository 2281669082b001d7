// The tests that take ten seconds and more each: `npm run test:slow`.
import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

const { test, ...rest } = base;

export default mergeConfig(
  rest,
  defineConfig({
    // Each step of such a test has its own patience, and says what it waited for.
    test: { ...test, include: ['test/**/*.slow.test.ts'], exclude: [], testTimeout: 180_000 },
  }),
);
