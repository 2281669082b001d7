import { expect, test } from 'vitest';
import { matchesWatch, watchWords } from '../../../src/core/rules/watch.ts';

test('words stand between bars, case and space around them ignored', () => {
  expect(watchWords(' Error | listening on ||')).toEqual(['error', 'listening on']);
  expect(watchWords(' | ')).toEqual([]);
});

test.each([
  ['An ERROR here', true],
  ['Listening on 80', true],
  ['all is well', false],
  ['', false],
])('%j', (line, matches) => expect(matchesWatch(watchWords('error|listening on'), line)).toBe(matches));
