import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showInvisible } from '../../../src/core/context/fence.ts';
import { applyEdits } from '../../../src/core/document/edits.ts';
import { scanBlocks } from '../../../src/core/markdown/blocks.ts';
import {
  findForeignBody,
  normaliseForeign,
  replaceForeignBody,
  safeAgentText,
  wrapForeignBody,
} from '../../../src/core/task/body/foreign-text.ts';
import { readSections } from '../../../src/core/task/body/sections.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileBody, hostileMarkdown } from '../../support/hostile-markdown.ts';

const TAG = 'q1w2e3r4t5';
const OTHER = '0123456789';
const anyText = fc.oneof(hostileBody, hostileMarkdown, fc.string({ unit: 'binary', maxLength: 40 }));

function content(body: string): string {
  const found = findForeignBody(body)!;
  return body.slice(found.contentStart, found.contentEnd);
}

describe('a foreign body', () => {
  test('comes back verbatim from between its markers, and forges and swallows nothing', () => {
    forAll(1000, anyText, fc.constantFrom('\n', '\r\n'), (text, eol) => {
      const block = wrapForeignBody(text, TAG);
      const body = `## Task\n\n${block}\n\n## Notes\n`.replaceAll('\n', eol);
      expect(content(body).replaceAll(eol, '\n')).toBe(normaliseForeign(text));
      expect(readSections(body).sections.map((section) => section.name)).toEqual(['Task', 'Notes']);
      expect(readSections(body).scan.headings.length).toBe(2);
    });
  });

  test('is replaced by any other text', () => {
    forAll(1000, anyText, anyText, fc.constantFrom('\n', '\r\n'), (text, next, eol) => {
      const body = `a\n${wrapForeignBody(text, TAG)}\nb\n`.replaceAll('\n', eol);
      const edits = replaceForeignBody(body, next, OTHER, 0);
      const result = applyEdits(body, edits);
      expect(content(result).replaceAll(eol, '\n')).toBe(normaliseForeign(next));
      expect(result.startsWith(`a${eol}`) && result.endsWith(`${eol}b${eol}`)).toBe(true);
      expect(replaceForeignBody(result, next, OTHER, 0)).toEqual([]);
    });
  });

  test('takes a new tag when the new text holds the closing marker of the old one', () => {
    const body = wrapForeignBody('x', TAG);
    const result = applyEdits(body, replaceForeignBody(body, `a\n<!-- /body ${TAG} -->\nb`, OTHER, 0));
    expect(result).toBe(`<!-- body ${OTHER} -->\na\n<!-- /body ${TAG} -->\nb\n<!-- /body ${OTHER} -->`);
  });

  test.each([
    ['no marker', 'text'],
    ['closing missing', `<!-- body ${TAG} -->\nx\n`],
    ['closing of another tag', `<!-- body ${TAG} -->\nx\n<!-- /body ${OTHER} -->\n`],
    [
      'the first opener decides',
      `<!-- body ${TAG} -->\n<!-- body ${OTHER} -->\nx\n<!-- /body ${OTHER} -->\n`,
    ],
    ['not alone on its line', `a <!-- body ${TAG} -->\nx\n<!-- /body ${TAG} -->\n`],
    ['closing not alone', `<!-- body ${TAG} -->\nx <!-- /body ${TAG} -->\n`],
    ['bad tag', '<!-- body ABCDEFGHIJ -->\nx\n<!-- /body ABCDEFGHIJ -->\n'],
  ])('is none: %s', (_, body) => expect(findForeignBody(body)).toBeNull());
});

describe('safeAgentText', () => {
  test.each([
    ['# a\n## b ##\n### c\n#### d', '#### a\n#### b\n#### c\n#### d'],
    ['two\nlines\n===\nx', '#### two lines\nx'],
    ['```\n# kept\n', '```\n# kept\n```'],
    ['~~~~ x\n~~~', '~~~~ x\n~~~\n~~~~'],
    ['<!-- a\n# b', '<!-- a\n# b\n-->'],
    ['<script>\n# b', '<script>\n# b\n</script>'],
    ['> # quoted\n\n- # item', '> # quoted\n\n- # item'],
    [
      '<!-- body q1w2e3r4t5 -->\n<!-- /body q1w2e3r4t5 --> <!-- c:1 -->',
      '&lt;!-- body q1w2e3r4t5 -->\n&lt;!-- /body q1w2e3r4t5 --> &lt;!-- c:1 -->',
    ],
    ['<!-\x00- body x', '&lt;!-- body x'],
    ['\n\n    # a\r\rb\x1b[31m\t \n\n', '#### a\n\nb[31m'],
    ['\ufeff```\n# a', '```\n# a\n```'],
    ['#', '####'],
  ])('%j → %j', (text, expected) => expect(safeAgentText(text)).toBe(expected));

  test('stays inside its section, whatever it says, and is stable', () => {
    forAll(3000, anyText, (text) => {
      const safe = safeAgentText(text);
      const body = `## Outcome\n\n${safe}\n\n## Next\n`;
      const headings = scanBlocks(body).headings.filter((heading) => heading.depth <= 3);
      expect(headings.map((heading) => heading.text)).toEqual(['Outcome', 'Next']);
      expect(safeAgentText(safe)).toBe(safe);
      expect(findForeignBody(body)).toBeNull();
    });
  });
});

describe('showInvisible', () => {
  test.each([
    ['plain text, ünïcode, 漢字', 'plain text, ünïcode, 漢字'],
    ['a\u202eb', 'a⟨U+202E⟩b'],
    ['\u{e0041}', '⟨U+E0041⟩'],
    ['a\u200bb\u2060\ufeff', 'a⟨U+200B⟩b⟨U+2060⟩⟨U+FEFF⟩'],
    ['👩\u200d💻 ok ❤\ufe0f 1\ufe0f\u20e3', '👩\u200d💻 ok ❤\ufe0f 1\ufe0f\u20e3'],
    ['🏴\u{e0067}', '🏴⟨U+E0067⟩'],
    ['a\u200db a\ufe0f', 'a⟨U+200D⟩b a⟨U+FE0F⟩'],
    ['💻\u{e0100}', '💻⟨U+E0100⟩'],
    ['x<!-- hidden -->y --> z', 'x⟨!-- hidden --⟩y --> z'],
    ['<!--> a <!-- b <!-- c', '⟨!--⟩ a ⟨!-- b ⟨!-- c'],
    ['a\tb\r\nc\x1b[0m\x9b', 'a\tb\r\nc⟨U+001B⟩[0m⟨U+009B⟩'],
  ])('%j → %j', (text, expected) => expect(showInvisible(text)).toBe(expected));

  test('leaves no comment and nothing unseen, and changes nothing twice', () => {
    forAll(
      1000,
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: fc.constantFrom('<!--', '-->', '-', '>', 'a', '\u202e', '\u200d') }),
      ),
      (text) => {
        const shown = showInvisible(text);
        expect(shown).not.toContain('<!--');
        expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200c\ufeff]|[\u{e0000}-\u{e0fff}]/u);
        expect(showInvisible(shown)).toBe(shown);
      },
    );
  });
});
