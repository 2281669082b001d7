import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../src/core/document/edits.ts';
import { formatComment, formatOutcome, formatProgress } from '../../../src/core/task/body/entries.ts';
import { wrapForeignBody } from '../../../src/core/task/body/foreign-text.ts';
import { appendToSection } from '../../../src/core/task/body/sections.ts';
import { appendStep, editStep } from '../../../src/core/task/body/step-edits.ts';
import { readSteps } from '../../../src/core/task/body/steps.ts';
import { revisionText } from '../../../src/core/task/read-task.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileBody, hostileMarkdown } from '../../support/hostile-markdown.ts';

const of = (body: string): string => revisionText({ title: 't', owner: 'o', body });
const lf = (body: string): string => body.replace(/\r\n?/g, '\n');

describe('the revision does not change', () => {
  test('by what is appended to the bookkeeping sections of any body', () => {
    const blocks = fc.oneof(
      hostileMarkdown.map((text) => ['Progress', formatProgress({ atMs: 0, text })] as const),
      hostileMarkdown.map((text) => ['Outcome', formatOutcome({ atMs: 0, author: 'a', text })] as const),
      hostileMarkdown.map(
        (text) => ['Comments', formatComment({ author: 'a', role: null, atMs: 0, id: '1', text })] as const,
      ),
    );
    forAll(1500, hostileBody, blocks, (body, [name, block]) => {
      expect(of(applyEdits(body, appendToSection(body, name, block, 0)))).toBe(of(body));
    });
  });

  test('by steps added and ticked', () => {
    forAll(500, hostileBody, (body) => {
      const step = { title: 'new', details: '', done: false, task: null };
      const added = applyEdits(body, appendStep(body, step, 0));
      expect(of(added)).toBe(of(body));
      for (const [index, one] of readSteps(added).entries())
        expect(of(applyEdits(added, editStep(added, index, { done: !one.done }, 0)))).toBe(of(body));
    });
  });

  test('by other line ends', () => {
    forAll(1000, hostileBody, (body) => {
      expect(of(lf(body).replaceAll('\n', '\r\n'))).toBe(of(lf(body)));
      expect(of(lf(body).replaceAll('\n', '\r'))).toBe(of(lf(body)));
      expect(of(body)).toBe(of(lf(body)));
    });
  });

  test.each([
    ['blank lines around', '## Task\nx\n## Notes\ny\n', '\n\n## Task\n\nx  \n\n\n## Notes\n\ny'],
    ['empty known sections', '## Task\nx\n', '## Task\nx\n\n## Notes\n\n## Progress\n## Outcome\n'],
    ['the way a heading is written', '## Task\nx\n', 'task:\n---\nx\n'],
    ['the tag', wrapForeignBody('x', '0123456789'), wrapForeignBody('x', 'abcdefghij')],
  ])('by %s', (_, a, b) => expect(of(a)).toBe(of(b)));
});

describe('the revision changes', () => {
  test('by any character of input', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '.'), minLength: 1, maxLength: 8 });
    forAll(
      500,
      fc.constantFrom('Task', 'Notes', 'Other'),
      word,
      word,
      hostileMarkdown,
      (name, a, b, rest) => {
        const body = (text: string): string => `${text}\n\n## ${name}\n\nx ${text} y\n\n${rest}`;
        expect(of(body(a)) === of(body(b))).toBe(a === b);
        const foreign = (text: string): string => `## ${name}\n\n${wrapForeignBody(text, '0123456789')}\n`;
        expect(of(foreign(a + rest)) === of(foreign(b + rest))).toBe(a === b);
      },
    );
  });

  test('by title, owner, an unknown section, and text under a heading of depth 1', () => {
    const base = { title: 't', owner: 'o', body: '## Progress\np\n' };
    const other = [
      { ...base, title: null },
      { ...base, owner: 'p' },
      { ...base, body: '## Progress\np\n## Other\n' },
      { ...base, body: '## Progress\np\n# Top\nq\n' },
      { ...base, body: 'p\n## Progress\np\n' },
      { ...base, body: '[a]: /u\nProgress\n---\np\n' },
    ];
    const texts = [base, ...other].map(revisionText);
    expect(new Set(texts).size).toBe(texts.length);
  });
});
