import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  cleanLine,
  cleanText,
  displayWidth,
  fit,
  truncate,
} from '../../../../src/faces/cli/lines/display-text.ts';

const numRuns = Number(process.env.FC_RUNS ?? 300);

test.each([
  ['plain', 5],
  ['', 0],
  ['日本語', 6],
  ['한국', 4],
  ['ｆｕｌｌ', 8],
  ['é', 1],
  ['e\u0301', 1],
  ['👍', 2],
  ['👩‍👩‍👧‍👦', 2],
  ['❤️', 2],
  ['a日b', 4],
  ['…', 1],
])('%s is %i cells wide', (text, cells) => {
  expect(displayWidth(text)).toBe(cells);
});

test('a cut text says so and keeps whole characters', () => {
  expect(truncate('Fix the build', 8)).toBe('Fix the…');
  expect(truncate('日本語テキスト', 6)).toBe('日本…');
  expect(truncate('日本語', 6)).toBe('日本語');
  expect(truncate('👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3)).toBe('👩‍👩‍👧‍👦…');
  expect(truncate('anything', 0)).toBe('');
  expect(truncate('anything', null)).toBe('anything');
});

test('fit gives exactly the cells asked for, whatever the text', () => {
  const text = fc.string({ unit: 'binary' }).map(cleanLine);
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (line, cells) => {
      expect(displayWidth(fit(line, cells))).toBe(cells);
    }),
    { numRuns },
  );
});

test('a clean line holds nothing that steers a terminal', () => {
  const hostile = fc.array(
    fc.constantFrom(
      '\u001b[2J',
      '\u001b]0;x\u0007',
      '\u009b31m',
      '\r',
      '\n',
      '\u202e',
      '\u0000',
      '\u007f',
      'a',
      '日',
    ),
  );
  fc.assert(
    fc.property(hostile, fc.string({ unit: 'binary' }), (parts, tail) => {
      expect(cleanLine(parts.join('') + tail)).not.toMatch(
        /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/,
      );
      expect(cleanText(parts.join('') + tail)).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e]/,
      );
    }),
    { numRuns },
  );
});
