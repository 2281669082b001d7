// Random Markdown that goes for the edges of block structure.
import fc from 'fast-check';

const PREFIXES = [
  ...['', '', '', '> ', '>', '- ', '* ', '+ ', '1. ', '2) ', '10. ', '  ', '   ', '    ', '\t', ' \t'],
  ...['-\t', '>\t'],
];
const LINES = [
  ...['', '', 'text', 'more text', '# one', '## Notes', '### three #', '####### seven', '#no', '# #'],
  ...['## Steps ##', '\\# x', '=', '===', '---', '--', '-', '- - -', '***', '* * *', '___', '=== ='],
  ...['--- x', '```', '````', '~~~', '```js', '``` a`b', '~~~ a`b', '```sh run', '``', '<div>', '</div>'],
  ...['<div', '<b>', '</b>', '<b a="x">', '<b a=x/>', "<b a='", '<pre>', '</pre>', '<script>x</script>'],
  ...['<!--', '-->', '<!-- x -->', '<!-->', '<!--->', '<?', '?>', '<!A', '>', '<![CDATA[', ']]>', ']]]>'],
  ...['<h2/>', '<h2/', '<a/ >', '<x:y>', '[a]: /u', '[a]: /u "t"', '[a]:', '/u', '"t"', '[a]: /u "t'],
  ...['t"', '[', '[a]: <u> x', '[a', ']: /u', "[a]: u 't'", '[a]: (', '[]: /u', '[a]: \\', '[b]: <', '1.'],
  ...['2. two', '1) one', '123456789. x', '1234567890. x', '-', '+', '*', '- x', '-   x', '-     x'],
  ...['a  ', 'a\\', '`', '\u00a0', 'a\0b', '\u000b', '\u2028', 'é 🎉', '## Outcome', '- [ ] step'],
  '  - [x] sub',
];
const ENDS = ['\n', '\n', '\n', '\n', '\r\n', '\r', '\n\n'];

const line = fc
  .tuple(
    fc.array(fc.constantFrom(...PREFIXES), { maxLength: 3 }),
    fc.constantFrom(...LINES),
    fc.constantFrom(...ENDS),
  )
  .map(([prefixes, text, end]) => prefixes.join('') + text + end);
const assembled = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''));
const unended = assembled.map((text) => text.replace(/[\r\n]+$/, ''));
const noise = fc.string({ unit: fc.constantFrom(...'#-=*_>`~<![]():/ \t\na1.+'), maxLength: 60 });
const newlines = fc.string({ unit: fc.constantFrom(...'#-=*>`<[]: \n\n\na1.\r"'), maxLength: 60 });

/** Texts without front matter and without a byte order mark. */
export const hostileMarkdown = fc.oneof(
  assembled,
  unended,
  noise,
  newlines,
  fc.tuple(assembled, noise).map(([a, b]) => a + b),
);

const BODY_PARTS = [
  ...['## Task\n', '## Steps\n', '## steps:\n', '## Notes ##\n', '## Comments\n', '## Progress\n'],
  ...['## Outcome\n', 'Outcome\n---\n', '# Title\n', '## Other\n', '### deep\n', '  ## Notes\n'],
  ...['   ## Outcome\n', '   Progress\n  ---\n', '- [ ] one\n', '- [x] two (task:k2xm9q4c)\n  more\n'],
  ...['1. [ ] three\n', '   - [ ] four\n', '- 2026-11-20 10:00 · did\n'],
  ...['**2026-11-20 10:00** · bot\n\nresult\n', '**@a** · 2026-11-20 10:00 <!-- c:1 -->\n> hi\n', '```\n'],
  ...['<!--\n', '-->\n', '<div>\n', '<!-- body 0123456789 -->\n', '<!-- /body 0123456789 -->\n'],
  ...['<!-- body abcdefghij -->\n## Outcome\n```\n<!-- /body abcdefghij -->\n', '\n', '  \n'],
];

/** Bodies of task files: sections, entries and foreign text in any order, whole and torn. */
export const hostileBody = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...BODY_PARTS) },
        { weight: 1, arbitrary: hostileMarkdown },
      ),
      { maxLength: 10 },
    ),
    fc.constantFrom('\n', '\n', '\r\n'),
    fc.boolean(),
  )
  .map(([parts, eol, cut]) => {
    const body = parts.join('').replaceAll('\n', eol);
    return cut ? body.replace(/[\r\n]+$/, '') : body;
  });
