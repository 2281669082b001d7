import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normalise } from '../../../src/providers/linear/normalise.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileMarkdown } from '../../support/hostile-markdown.ts';
import { rewriteMarkdown } from '../../support/linear-server/rewrite-markdown.ts';

const word = fc.constantFrom(
  ...['alpha', 'beta', 'x1', 'snake_case', 'a*b', 'naïve', '🧨', 'C++', 'v1.2', '5 > 3', 'a | b'],
);
const inline = fc.oneof(
  { weight: 5, arbitrary: word },
  { weight: 1, arbitrary: word.map((text) => `_${text}_`) },
  { weight: 1, arbitrary: word.map((text) => `__${text}__`) },
  { weight: 1, arbitrary: word.map((text) => `**${text}**`) },
  { weight: 1, arbitrary: word.map((text) => `\`${text}\``) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'https://example.org/a_b?c=1#d',
      '<https://x.org>',
      '[text](https://x.org/_y_)',
      '\\_no\\_',
    ),
  },
);
const line = fc.array(inline, { minLength: 1, maxLength: 5 }).map((parts) => parts.join(' '));
const trail = fc.constantFrom('', '', '  ', '\t', '    ');
const paragraph = fc
  .array(fc.tuple(line, trail), { minLength: 1, maxLength: 3 })
  .map((lines) => lines.map(([text, blanks]) => text + blanks).join('\n'));
const heading = fc.oneof(
  fc.tuple(fc.integer({ min: 1, max: 6 }), line).map(([depth, text]) => `${'#'.repeat(depth)} ${text}`),
  fc.tuple(line, fc.constantFrom('===', '---', '-----')).map(([text, under]) => `${text}\n${under}`),
);
const rule = fc.constantFrom('---', '***', '* * *', '___', '- - -');
const fence = fc
  .tuple(
    fc.constantFrom('```', '~~~', '````'),
    fc.constantFrom('', 'ts', 'diff'),
    fc.array(line, { maxLength: 3 }),
  )
  .map(([mark, info, lines]) => [mark + info, '- _kept_   ', ...lines, mark].join('\n'));
const marker = fc.constantFrom('- ', '* ', '+ ', '1. ', '7) ', '- [ ] ', '- [X] ', '* [x] ');
const list = fc
  .array(fc.tuple(fc.constantFrom(0, 0, 1), marker, line), { minLength: 1, maxLength: 5 })
  .map((items) =>
    items.map(([depth, mark, text], at) => (at > 0 && depth === 1 ? '    ' : '') + mark + text).join('\n'),
  );
const quote = fc
  .array(line, { minLength: 1, maxLength: 3 })
  .map((lines) => lines.map((text) => `> ${text}`).join('\n'));
const block = fc.oneof(paragraph, heading, rule, fence, list, quote);
const gap = fc.constantFrom('\n\n', '\n\n', '\n\n\n', '\n \n');
const markdown = fc
  .array(fc.tuple(block, gap), { maxLength: 6 })
  .map((blocks) => blocks.map(([text, space]) => text + space).join(''));

test('what Linear makes of a text is the same text to us', () => {
  forAll(400, markdown, fc.boolean(), (text, hasCrLf) => {
    const given = hasCrLf ? text.replaceAll('\n', '\r\n') : text;
    expect(normalise(rewriteMarkdown(given))).toBe(normalise(given));
  });
});

test('a spelling may be blurred, a word never', () => {
  const letters = (text: string) => text.toLowerCase().replace(/[^\p{L}]/gu, '');
  forAll(300, fc.oneof(markdown, hostileMarkdown), (text) => {
    expect(letters(normalise(text))).toBe(letters(text));
  });
});

test('edits that a person means are seen', () => {
  const pairs: [string, string][] = [
    ['one two', 'one  too'],
    ['- a\n- b', '- a\n- b\n- c'],
    ['- [ ] a', '- [x] a'],
    ['# a', '## a'],
    ['- a\n  - b', '- a\n- b'],
    ['a\n\nb', 'a\nb'],
    ['a *b*', 'a b'],
    ['```diff\n- a\n```', '```diff\n+ a\n```'],
    ['```\n_a_\n```', '```\n*a*\n```'],
    ['https://example.org/a', 'https://example.org/b'],
    ['> a', 'a'],
    ['a', ''],
  ];
  for (const [one, other] of pairs) expect(normalise(one), one).not.toBe(normalise(other));
});

test('one spelling for what Linear spells in its way', () => {
  const pairs: [string, string][] = [
    ['- a\n+ b', '* a\n* b'],
    ['1. a\n1. b', '1. a\n2. b'],
    ['_a_ and __b__', '*a* and **b**'],
    ['see https://example.org', 'see <https://example.org>'],
    ['[https://example.org](https://example.org)', '<https://example.org>'],
    ['a\\_b \\[c\\]', 'a_b [c]'],
    ['Title\n===\ntext', '# Title\n\ntext'],
    ['text\n- a', 'text\n\n* a'],
    ['- a\n\n- b', '* a\n* b'],
    ['| a | b |\n| --- | --- |', '|a|b|\n|-----|-|'],
    ['a  \r\nb\r\n', 'a\nb'],
    ['- [X] a', '* [x] a'],
    ['~~~js\nx\n~~~', '```js\nx\n```'],
    ['', '\n \n'],
  ];
  for (const [one, other] of pairs) expect(normalise(one), one).toBe(normalise(other));
});

test('the longest texts take linear time, whatever they are made of', () => {
  const size = 250_000;
  const pieces = [
    ...['[', '<http:', '> ', '- ', '*', '`', ' ', '\t', '#', '|', '\\', '_', '1. ', '\n', '> -', ']('],
  ];
  for (const piece of pieces) {
    const text = piece.repeat(Math.ceil(size / piece.length));
    for (const one of [text, `# a${text}b`, `a ${text} b`]) {
      // Whatever grows with the square of its length runs into the test's own time limit here.
      expect(typeof normalise(one)).toBe('string');
    }
  }
});
