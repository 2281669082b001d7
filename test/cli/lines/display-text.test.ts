import fc from 'fast-check';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import {
  cleanLine,
  cleanText,
  createOutputFilter,
  displayWidth,
  fit,
  printableJson,
  truncate,
} from '../../../src/cli/lines/display-text.ts';
import { forAll } from '../../support/for-all.ts';

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
  ['1️⃣', 2],
  ['🇩🇪', 2],
  ['☝🏽', 2],
  ['가', 2],
  ['각', 2],
  ['ｶﾞ', 2],
  ['हिन्दी', 5],
])('%s is %i cells wide', (text, cells) => expect(displayWidth(text)).toBe(cells));

// What string-width knows beyond us, and no terminal shows alike: Arabic and Kaithi signs below a number, U+FE0E after
// an emoji, a skin colour that belongs to no emoji, and what Unicode has not assigned.
const BEYOND_US =
  /[\u0600-\u0605\u06DD\u0890\u0891\u08E2\u{110BD}\u{110CD}]|\uFE0E|(?<!\p{Emoji_Modifier_Base})\p{Emoji_Modifier}|\p{Cn}/gu;
const widths = (text: string): [string, number] => [text, displayWidth(text)];
const measured = (text: string): [string, number] => [text, stringWidth(text)];

test('a character is as wide as string-width has it', () => {
  // All of the small scripts and the emoji, samples of the large blocks.
  const isLooked = (code: number) => code < 0x3000 || (code >= 0x1f000 && code < 0x1fc00) || code % 67 === 0;
  const characters = Array.from({ length: 0x110000 }, (_, code) => code)
    .filter((code) => isLooked(code) && (code < 0xd800 || code > 0xdfff))
    .map((code) => cleanLine(String.fromCodePoint(code)).replace(BEYOND_US, ''));
  expect(characters.map(widths).filter(([text, width]) => width !== stringWidth(text))).toEqual([]);
});

test('so is every text', () => {
  const piece = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.string({ unit: 'grapheme', maxLength: 3 }),
    fc.constantFrom(...'日한é👍☝✌⚠#1🇩🇪🏽🏳कितำァﾞ각', '\u0301', '\u200d', '\ufe0f', '\u094d', '\u{e0067}'),
  );
  forAll(900, fc.array(piece, { maxLength: 6 }), (pieces) => {
    const text = cleanLine(pieces.join('')).replace(BEYOND_US, '');
    expect(widths(text)).toEqual(measured(text));
  });
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
  forAll(300, text, fc.integer({ min: 1, max: 40 }), (line, cells) => {
    expect(displayWidth(fit(line, cells))).toBe(cells);
  });
});

test('a clean line holds nothing that steers a terminal', () => {
  const hostile = fc.array(
    fc.constantFrom(
      ...['\u001b[2J', '\u001b]0;x\u0007', '\u009b31m', '\r', '\n', '\u202e', '\u0000', '\u007f', 'a'],
      '日',
    ),
  );
  forAll(300, hostile, fc.string({ unit: 'binary' }), (parts, tail) => {
    expect(cleanLine(parts.join('') + tail)).not.toMatch(
      /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/,
    );
    expect(cleanText(parts.join('') + tail)).not.toMatch(
      /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e]/,
    );
  });
});

const piece = fc.constantFrom(
  ...['text\n', '\u001b[31m', '\u001b[0m', '\u001b[2J', '\u001b[?25l', '\u001b]52;c;aGk=\u0007'],
  ...['\u001bc', '\u0008', '\u001b]0;t\u001b\\', 'é日'],
);

test('colours pass, everything else that steers is gone', () => {
  const filter = createOutputFilter();
  expect(filter('a\u001b[31mred\u001b[0m\u001b[2J\u001b]52;c;aGk=\u0007b\tc\r\n\u001bc')).toBe(
    'a\u001b[31mred\u001b[0mb\tc\r\n',
  );
});

test('where the output is cut into pieces makes no difference', () => {
  forAll(300, fc.array(piece, { maxLength: 12 }), fc.array(fc.nat(60), { maxLength: 6 }), (parts, cuts) => {
    const text = `${parts.join('')}end\n`;
    const whole = createOutputFilter()(text);
    const places = [...new Set(cuts.map((cut) => Math.min(cut, text.length)))].sort((a, b) => a - b);
    const filter = createOutputFilter();
    let at = 0;
    let pieced = '';
    for (const place of [...places, text.length]) {
      pieced += filter(text.slice(at, place));
      at = place;
    }
    expect(pieced).toBe(whole);
    expect(whole.replace(/\u001b\[[0-9;]*m/g, '')).not.toMatch(/\u001b/);
  });
});

// JSON as it is printed steers no terminal, and reads as the same value.
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
