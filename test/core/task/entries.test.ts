import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../src/core/document/edits.ts';
import {
  asNote,
  formatComment,
  formatOutcome,
  formatProgress,
  type NewComment,
  readComments,
  readOutcome,
  readProgress,
} from '../../../src/core/task/body/entries.ts';
import { normaliseForeign, safeAgentText } from '../../../src/core/task/body/foreign-text.ts';
import { appendToSection, readSections, type SectionName } from '../../../src/core/task/body/sections.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileBody, hostileMarkdown } from '../../support/hostile-markdown.ts';

const AT = Date.UTC(2026, 10, 20, 10, 0, 59);
const append = (body: string, name: SectionName, block: string): string =>
  applyEdits(body, appendToSection(body, name, block, 0));
const anyText = fc.oneof(
  hostileBody,
  hostileMarkdown,
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.constantFrom(
    ...['**2026-11-20 10:00** · boss', '- 2026-11-20 10:00 · forged'],
    '**@boss** · 2026-11-20 10:00 <!-- c:9 -->\n> forged',
    ...['\n\n**@boss** · 2026-11-20 10:00 <!-- c:9 -->\n\n> x', '> > a\n\n\nb', '```\n'],
  ),
);
const start = fc.constantFrom(
  '## Comments\n\n## Progress\n\n## Outcome\n',
  '## Comments\r\n## Progress\r\n## Outcome\r\n',
  '',
  'task text',
  '## Outcome\n```\n',
);

describe('progress', () => {
  test.each([
    ['did it', '- 2026-11-20 10:00 · did it'],
    ['did\nit\n\nall', '- 2026-11-20 10:00 · did\n  it\n\n  all'],
    ['```\nx\n```', '- 2026-11-20 10:00 ·\n\n  ```\n  x\n  ```'],
    ['`x` done', '- 2026-11-20 10:00 · `x` done'],
    ['# Done', '- 2026-11-20 10:00 ·\n\n  #### Done'],
    ['', '- 2026-11-20 10:00 ·'],
  ])('%j', (text, expected) => expect(formatProgress({ atMs: AT, text })).toBe(expected));

  test('entries come back as they were safe, in order', () => {
    forAll(700, start, fc.array(anyText, { maxLength: 4 }), (body, texts) => {
      const result = texts.reduce<string>(
        (text, one) => append(text, 'Progress', formatProgress({ atMs: AT, text: one })),
        body,
      );
      expect(readProgress(result).map((entry) => [entry.at, entry.text])).toEqual(
        texts.map((text) => ['2026-11-20 10:00', safeAgentText(text)]),
      );
    });
  });
});

describe('outcome', () => {
  test('entries come back with their authors, and no text forges one', () => {
    forAll(
      700,
      start,
      fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), anyText), { maxLength: 4 }),
      (body, entries) => {
        const before = readOutcome(body).length;
        const result = entries.reduce<string>(
          (text, [author, said]) => append(text, 'Outcome', formatOutcome({ atMs: AT, author, text: said })),
          body,
        );
        expect(
          readOutcome(result)
            .slice(before)
            .map((entry) => [entry.at, entry.author]),
        ).toEqual(entries.map(([author]) => ['2026-11-20 10:00', normaliseForeign(author)]));
      },
    );
  });

  test('what a program printed is a note, whose mark no author or text can have', () => {
    const printed = asNote(formatOutcome({ atMs: AT, author: 'bot', text: 'x' }));
    const forged = formatOutcome({ atMs: AT, author: 'bot <!-- note -->', text: 'y <!-- note -->' });
    const entries = readOutcome(`## Outcome\n\n${printed}\n\n${forged}\n`);
    expect(entries.map(({ author, text, isNote }) => [author, text, isNote])).toEqual([
      ['bot', 'x', true],
      ['bot <!-- note -->', expect.stringContaining('y'), false],
    ]);
  });

  test('a header in a text is escaped', () => {
    expect(formatOutcome({ atMs: AT, author: 'bot', text: 'x\n\n**2026-11-20 10:00** · boss\n\nno' })).toBe(
      '**2026-11-20 10:00** · bot\n\nx\n\n\\**2026-11-20 10:00** · boss\n\nno',
    );
  });
});

describe('comments', () => {
  const someName = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...['alice', 'dependabot[bot]', 'a**b', '(member)', ' x ', '<!-- c:1 -->', '&#x41;', '\u202eevil'],
      ...['a  b', 'a\nb'],
    ),
  );
  const someComment: fc.Arbitrary<NewComment> = fc.record({
    author: someName,
    role: fc.option(someName.filter((role) => role !== '')),
    atMs: fc.constant(AT),
    id: fc.oneof(fc.uuid(), fc.string({ unit: 'binary', minLength: 1 }), fc.constant('--> x')),
    text: anyText,
  });

  test('look like this', () => {
    const comment = { author: 'alice', role: 'member', atMs: AT, id: '42', text: 'Hi\r\n\r\n  there' };
    expect(formatComment(comment)).toBe(
      '**@alice** (member) · 2026-11-20 10:00 <!-- c:42 -->\n> Hi\n>\n>   there',
    );
    expect(formatComment({ ...comment, role: null, text: '' })).toBe(
      '**@alice** · 2026-11-20 10:00 <!-- c:42 -->\n>',
    );
  });

  test('any list of them comes back exactly', () => {
    forAll(700, start, fc.array(someComment, { maxLength: 4 }), (body, comments) => {
      const result = comments.reduce<string>(
        (text, one) => append(text, 'Comments', formatComment(one)),
        body,
      );
      const entries = readComments(result);
      expect(entries.map(({ author, role, id, at, text }) => ({ author, role, id, at, text }))).toEqual(
        comments.map(({ author, role, id, text }) => ({
          author: normaliseForeign(author),
          role: role === null ? null : normaliseForeign(role),
          id: normaliseForeign(id),
          at: '2026-11-20 10:00',
          text: normaliseForeign(text),
        })),
      );
      expect(entries.map((entry) => result.slice(entry.start, entry.end))).toEqual(
        entries.map((entry) => entry.raw),
      );
      const made =
        comments.length > 0 && !readSections(body).sections.some((section) => section.name === 'Comments')
          ? 1
          : 0;
      expect(readSections(result).sections.length).toBe(readSections(body).sections.length + made);
    });
  });

  test.each([
    ['typed by hand', 'I think so.\n\n> quote\n'],
    ['no quote', '**@a** · 2026-11-20 10:00 <!-- c:1 -->\n\n> later\n'],
    ['in a quote', '> **@a** · 2026-11-20 10:00 <!-- c:1 -->\n> > x\n'],
    ['in a list', '- a\n**@a** · 2026-11-20 10:00 <!-- c:1 -->\n> x\n'],
    ['in a fence', '```\n**@a** · 2026-11-20 10:00 <!-- c:1 -->\n> x\n```\n'],
    ['in a paragraph', 'text\n**@a** · 2026-11-20 10:00 <!-- c:1 -->\n> x\n'],
    ['no id', '**@a** · 2026-11-20 10:00\n> x\n'],
  ])('no entry: %s', (_, text) => {
    expect(readComments(`## Comments\n\n${text}`)).toEqual([]);
    expect(
      readComments(
        `## Notes\n\n${formatComment({ author: 'a', role: null, atMs: AT, id: '1', text: 'x' })}\n`,
      ),
    ).toEqual([]);
  });
});
