import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/core/rules/waits.ts';
import { forAll } from '../../support/for-all.ts';

describe('retryDelayMs', () => {
  it.each([
    // attempt, random, delay
    [1, 0.5, 10_000],
    [2, 0.5, 20_000],
    [3, 0.5, 40_000],
    [4, 0.5, 80_000],
    [5, 0.5, 160_000],
    [6, 0.5, 300_000],
    [7, 0.5, 300_000],
    [5000, 0.5, 300_000],
    [1, 0, 8000],
    [1, 1, 12_000],
    [6, 0, 240_000],
    [6, 1, 360_000],
    [0, 0.5, 10_000],
    [-3, 0.5, 10_000],
    [Number.NaN, 0.5, 10_000],
    [Number.POSITIVE_INFINITY, 0.5, 300_000],
    [2.9, 0.5, 20_000],
    [1, Number.NaN, 8000],
    [1, 7, 12_000],
  ])('after %d failed attempts and chance %d: %d ms', (attempt, random, delay) => {
    expect(retryDelayMs(attempt, random)).toBe(delay);
  });

  it('stays within a fifth of the plain delay and below six minutes', () => {
    forAll(
      100,
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (attempt, random) => {
        const plain = Math.min(10_000 * 2 ** (attempt - 1), 300_000);
        const delay = retryDelayMs(attempt, random);
        expect(Number.isInteger(delay)).toBe(true);
        expect(Math.abs(delay - plain)).toBeLessThanOrEqual(plain * 0.2 + 0.5);
        expect(delay).toBeLessThanOrEqual(360_000);
      },
    );
  });
});
