import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editDistance, suggest } from '../../../src/core/document/suggest.ts';

const numRuns = Number(process.env.FC_RUNS ?? 300);

describe('suggest', () => {
  const commands = ['status', 'stop', 'start', 'show', 'list', 'log', 'archive', 'canceled'];
  it.each([
    ['staus', 'status'],
    ['lsit', 'list'],
    ['SHOW', 'show'],
    ['arch', 'archive'],
    ['cancelled', 'canceled'],
    ['frobnicate', null],
    ['x', null],
    ['st', null],
    ['', null],
    ['l'.repeat(65), null],
  ])('%j → %j', (word, expected) => expect(suggest(word, commands)).toBe(expected));

  it('counts a swap as one edit, and is a distance', () => {
    expect(editDistance('lsit', 'list')).toBe(1);
    expect(editDistance('', 'abc')).toBe(3);
    fc.assert(
      fc.property(fc.string({ maxLength: 8 }), fc.string({ maxLength: 8 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, a)).toBe(0);
        expect(editDistance(a, b)).toBeGreaterThanOrEqual(Math.abs(a.length - b.length));
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
      { numRuns },
    );
  });
});
