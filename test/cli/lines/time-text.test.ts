import { expect, test } from 'vitest';
import { lengthOf } from '../../../src/cli/lines/time-text.ts';

test.each([
  [0, '0.0 s'],
  [-5, '0.0 s'],
  [440, '0.4 s'],
  [9_900, '9.9 s'],
  [9_960, '10 s'],
  [59_600, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [349_200_000, '4 d 1 h'],
])('%i ms is %s', (ms, text) => {
  expect(lengthOf(ms)).toBe(text);
});
