// JSON as it is printed steers no terminal, and reads as the same value.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { printableJson } from '../../src/cli/lines/display-text.ts';
import { forAll } from '../support/for-all.ts';

test('control characters and direction marks stand as escapes', () => {
  expect(printableJson(JSON.stringify({ a: 'x\u009b31m\u202ey' }))).toBe('{"a":"x\\u009b31m\\u202ey"}');
});

test('whatever it says, it reads as the same, and nothing in it steers', () => {
  forAll(100, fc.json({ stringUnit: 'binary' }), (json) => {
    const printed = printableJson(json);
    expect(JSON.parse(printed)).toEqual(JSON.parse(json));
    expect(printed).not.toMatch(/[\u0080-\u009f\u2028-\u202e]/);
  });
});
