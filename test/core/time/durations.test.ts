import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseBytes, parseDuration } from '../../../src/core/time/durations.ts';
import { forAll } from '../../support/for-all.ts';

describe('durations and sizes', () => {
  it.each([
    ['250ms', 250],
    ['1s', 1000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['14d', 1_209_600_000],
    ['0', 0],
    ['0s', 0],
    [' 1 s ', 1000],
    ['1', null],
    ['1.5h', null],
    ['-1s', null],
    ['5M', null],
    ['1h30m', null],
    ['', null],
    ['999999999999999d', null],
  ])('%j is %j ms', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each([
    ['64MiB', 67_108_864],
    ['500kb', 500_000],
    ['12', 12],
    ['1 GiB', 2 ** 30],
    ['7B', 7],
    ['1TiB', null],
    ['-1', null],
    ['1.5MiB', null],
  ])('%j is %j bytes', (text, size) => expect(parseBytes(text)).toBe(size));

  it('reads back what it writes', () => {
    forAll(300, fc.nat({ max: 2 ** 40 }), (value) => {
      expect(parseDuration(formatDuration(value))).toBe(value);
    });
    expect([formatDuration(90_000), formatDuration(86_400_000)]).toEqual(['90s', '1d']);
  });
});
