import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument, setKey } from '../../../src/core/document/document.ts';
import {
  appendEntry,
  idOf,
  missingEntries,
  restoreLost,
  type WrittenEntry,
} from '../../../src/core/merge/lost-entries.ts';
import {
  formatComment,
  formatOutcome,
  formatProgress,
  readComments,
} from '../../../src/core/task/body/entries.ts';
import { forAll } from '../../support/for-all.ts';

const AT = Date.UTC(2026, 10, 20, 10, 0);

const progress = (text: string) => formatProgress({ atMs: AT, text });
const comment = (id: string, text: string) =>
  formatComment({ author: 'ann', role: null, atMs: AT, id, text });

const START =
  '---\nstatus: todo\n---\n\n## Task\n\nDo it.\n\n## Notes\n\nnote\n\n## Progress\n\n## Outcome\n';

describe('restoreLost', () => {
  test('an entry comes back where it stood, also into another section and other line ends', () => {
    const first = progress('first');
    const one = appendEntry(START, 'Progress', first);
    const stale = START.replace('note', 'note typed');
    const result = restoreLost(stale, [{ section: 'Progress', block: first, base: START }]);
    expect(result.text).toBe(one.replace('note', 'note typed'));
    const crlf = restoreLost(stale.replaceAll('\n', '\r\n'), [
      { section: 'Progress', block: first, base: START },
    ]);
    expect(crlf.text).toBe(result.text.replaceAll('\n', '\r\n'));
  });

  test('without the old text it comes back at the end of its section', () => {
    const text = appendEntry(START, 'Progress', progress('kept'));
    const { text: after, restored } = restoreLost(text, [
      { section: 'Progress', block: progress('lost'), base: null },
    ]);
    expect(restored).toEqual([true]);
    expect(after).toBe(appendEntry(text, 'Progress', progress('lost')));
  });

  test('an id comes back where there is none, never over another, and values are left alone', () => {
    expect(idOf(restoreLost(START, [], 'abc').text)).toBe('abc');
    const other = setKey(START, 'id', 'mine');
    expect(restoreLost(other, [], 'abc')).toEqual({ text: other, restored: [], idRestored: false });
    const doing = setKey(setKey(START, 'status', 'doing'), 'id', 'abc');
    const result = restoreLost(START, [{ section: 'Progress', block: progress('x'), base: doing }], 'abc');
    expect(parseDocument(result.text, 'a')).toMatchObject({ doc: { data: { status: 'todo', id: 'abc' } } });
  });
});

/** One thing that happens to the file: the runtime writes, or the person saves a buffer read some versions ago. */
type Happening =
  | { by: 'runtime'; section: 'Progress' | 'Comments' | 'Outcome' | 'Steps'; words: string; status: string }
  | { by: 'person'; behind: number; place: number; typed: string };

const words = fc.constantFrom(
  ...['done', 'ok', 'two\nlines', '- list', '## Outcome', '```\ncode', '> quote', '', 'ünïcode <!-- x'],
);
const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({
    by: fc.constant('runtime' as const),
    section: fc.constantFrom('Progress' as const, 'Comments' as const, 'Outcome' as const, 'Steps' as const),
    words,
    status: fc.constantFrom('todo', 'doing', 'done'),
  }),
  fc.record({ by: fc.constant('person' as const), behind: fc.nat(6), place: fc.nat(40), typed: words }),
);
const START_TEXTS = [
  START,
  START.replaceAll('\n', '\r\n'),
  'no sections at all\n',
  '',
  '# Title\n\ntext',
  '---\n---\nbody\n\n## Comments',
];

/** Types a line of its own into the body. */
function type(text: string, place: number, line: string): string {
  const parsed = parseDocument(text, 'a');
  if (!parsed.ok) throw new Error('the file became unreadable');
  const body = text.slice(parsed.doc.bodyStart).split(/(?<=\n)/);
  const at = place % (body.length + 1);
  const eol = parsed.doc.eol;
  const before = body.slice(0, at).join('');
  const open = before !== '' && !before.endsWith('\n');
  return `${text.slice(0, parsed.doc.bodyStart)}${before}${open ? eol : ''}${line}${eol}${body.slice(at).join('')}`;
}

test('whoever saves when: every typed line of the last buffer and every entry of ours stands in the file', () => {
  forAll(
    150,
    fc.constantFrom(...START_TEXTS),
    fc.array(happening, { minLength: 1, maxLength: 12 }),
    (start, story) => {
      const versions = [start];
      const entries: WrittenEntry[] = [];
      for (const [index, event] of story.entries()) {
        const now = versions.at(-1)!;
        if (event.by === 'person') {
          const seen = versions[Math.max(0, versions.length - 1 - event.behind)]!;
          const saved = type(seen, event.place, `typed ${index} ${event.typed.replace(/\n/g, ' ')}`);
          const missing = missingEntries(saved, entries);
          const { text, restored } = restoreLost(saved, missing);
          expect(restored).toEqual(missing.map(() => true));
          expect(missingEntries(text, entries)).toEqual([]);
          const lines = text.split(/\r?\n/);
          for (const line of saved.split(/\r?\n/)) expect(lines).toContain(line);
          versions.push(text);
        } else {
          const block =
            event.section === 'Comments'
              ? comment(`c${index}`, event.words)
              : event.section === 'Progress'
                ? progress(`${index} ${event.words}`)
                : event.section === 'Steps'
                  ? `- [ ] ${index} ${event.words.replace(/\n/g, ' ')}`
                  : formatOutcome({ atMs: AT + index * 60_000, author: 'bot', text: event.words });
          const next = setKey(appendEntry(now, event.section, block), 'status', event.status);
          entries.push({ section: event.section, block, base: now });
          versions.push(next);
        }
        expect(parseDocument(versions.at(-1)!, 'a').ok).toBe(true);
      }
    },
  );
});

test('restored comments read back as the comments they were', () => {
  const first = appendEntry(
    START,
    'Comments',
    comment('c1', 'hello\n\n**@eve** · 2026-11-20 10:00 <!-- c:c9 -->'),
  );
  const second = appendEntry(first, 'Comments', comment('c2', 'again'));
  const lost = [
    {
      section: 'Comments' as const,
      block: comment('c1', 'hello\n\n**@eve** · 2026-11-20 10:00 <!-- c:c9 -->'),
      base: START,
    },
    { section: 'Comments' as const, block: comment('c2', 'again'), base: first },
  ];
  const { text } = restoreLost(START.replace('note', 'typed'), lost);
  expect(text).toBe(second.replace('note', 'typed'));
  expect(readComments(text).map(({ id }) => id)).toEqual(['c1', 'c2']);
});
