// Random markdown in many spellings, each line of which holds a word of its own: `w1`, `w2`, …
import fc from 'fast-check';

const around = fc.constantFrom(
  (word: string) => word,
  (word: string) => `_${word}_ and __more__`,
  (word: string) => `*${word}* or **more**`,
  (word: string) => `\`get_user_name()\` ${word} \`a*b\``,
  (word: string) => `${word} https://example.org/a_b?c=1#d`,
  (word: string) => `<https://x.org> ${word} [https://x.org](https://x.org)`,
  (word: string) => `\\_no\\_ ${word} 5 > 3 | x`,
);
const lead = fc.constantFrom('- ', '* ', '+ ', '1. ', '7) ', '- [ ] ', '- [X] ', '> ');
const trail = fc.constantFrom('', '', '', '  ', '\t');

type Line = (word: string) => string;
const plain: fc.Arbitrary<Line> = fc.tuple(around, trail).map(
  ([text, blanks]) =>
    (word) =>
      text(word) + blanks,
);
const paragraph = fc.array(plain, { minLength: 1, maxLength: 3 });
const heading = fc
  .tuple(fc.integer({ min: 1, max: 6 }), plain)
  .map(([depth, text]): Line[] => [(word) => `${'#'.repeat(depth)} ${text(word)}`]);
const underlined = fc
  .tuple(plain, fc.constantFrom('===', '---'))
  .map(([text, under]): Line[] => [(word) => `${text(word)}\n${under}`]);
const nested = fc
  .tuple(lead, plain, plain)
  .map(([mark, outer, inner]): Line[] => [(word) => mark + outer(word), (word) => `    - ${inner(word)}`]);
const list = fc
  .tuple(lead, fc.array(plain, { minLength: 1, maxLength: 4 }))
  .map(([mark, items]): Line[] => items.map((text) => (word) => mark + text(word)));
const fence = fc
  .tuple(fc.constantFrom('```', '~~~'), fc.array(plain, { minLength: 1, maxLength: 3 }))
  .map(([mark, lines]): Line[] => [
    () => `${mark}ts`,
    ...lines.map(
      (text): Line =>
        (word) =>
          `snake_case ${text(word)}`,
    ),
    () => mark,
  ]);
const rule = fc.constantFrom('---', '***', '___').map((text): Line[] => [() => text]);
const block = fc.oneof(paragraph, heading, underlined, list, nested, fence, rule);
const gap = fc.constantFrom('\n\n', '\n\n', '\n\n\n', '\n \n');

export interface NumberedMarkdown {
  text: string;
  /** Each stands once in the text; those of underlined headings, which are two lines, are not among them. */
  words: string[];
}

export const numberedMarkdown: fc.Arbitrary<NumberedMarkdown> = fc
  .array(fc.tuple(block, gap), { minLength: 1, maxLength: 7 })
  .map((blocks) => {
    let count = 0;
    const text = blocks
      .map(([lines, space]) => {
        const spelled = lines.map((line) => {
          count += 1;
          return line(`w${count}w`);
        });
        return spelled.join('\n') + space;
      })
      .join('')
      .trimEnd();
    return { text, words: text.match(/w\d+w(?![^\n]*\n(?:===|---)(?:\n|$))/g) ?? [] };
  });
