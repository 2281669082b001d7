import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument, setKey } from '../../../src/core/document/document.ts';
import { settleEntries } from '../../../src/core/merge/entry-copies.ts';
import {
  appendEntry,
  idOf,
  missingEntries,
  type PlacedEntry,
  restoreLost,
} from '../../../src/core/merge/lost-entries.ts';
import { mergeThree } from '../../../src/core/merge/merge.ts';
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
  test('without the old text it comes back at the end of its section', () => {
    const text = appendEntry(START, 'Progress', progress('kept'));
    const { text: after, restored } = restoreLost(text, [{ section: 'Progress', block: progress('lost') }]);
    expect(restored).toEqual([true]);
    expect(after).toBe(appendEntry(text, 'Progress', progress('lost')));
  });

  test('an id comes back where there is none, never over another, and values are left alone', () => {
    expect(idOf(restoreLost(START, [], 'abc').text)).toBe('abc');
    const other = setKey(START, 'id', 'mine');
    expect(restoreLost(other, [], 'abc')).toEqual({ text: other, restored: [], idRestored: false });
    const result = restoreLost(START, [{ section: 'Progress', block: progress('x') }], 'abc');
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
      const entries: PlacedEntry[] = [];
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
          entries.push({ section: event.section, block });
          versions.push(next);
        }
        expect(parseDocument(versions.at(-1)!, 'a').ok).toBe(true);
      }
    },
  );
});

const twoLines = (id: string) => comment(id, `two\nlines of ${id}`);
const inComments = (block: string) => ({ section: 'Comments' as const, block });
const inProgress = (block: string) => ({ section: 'Progress' as const, block });

test('a text read half written, given its entries back, then written to its end: everything once', () => {
  const head = '---\nid: abc\n---\n\n## Task\n\nDo it.\n';
  const blocks = ['c1', 'c2', 'c3'].map(twoLines);
  const full = blocks.reduce(
    (text, block) => appendEntry(text, 'Comments', block),
    `${head}\n## Notes\n\ntyped\n`,
  );
  const half = head;
  const ours = [...blocks, twoLines('c4')].reduce(
    (text, block) => appendEntry(text, 'Comments', block),
    half,
  );
  const merged = mergeThree(half, ours, full).text;
  expect(settleEntries(merged, [ours, full], [...blocks, twoLines('c4')].map(inComments))).toBe(
    appendEntry(full, 'Comments', twoLines('c4')),
  );
});

test('what a side had twice stays twice, what nobody doubled is not touched', () => {
  const twice = `## Progress\n\n${progress('ok')}\n${progress('ok')}\n`;
  expect(settleEntries(twice, [twice, ''], [inProgress(progress('ok'))])).toBe(twice);
  const thrice = `${twice}${progress('ok')}\n`;
  expect(
    settleEntries(thrice, [twice, twice], [inProgress(progress('ok')), inProgress(progress('ok'))]),
  ).toBe(twice);
  const mended = `${progress('ok\nbelow')}\n${progress('ok\nchanged')}\n`;
  expect(settleEntries(mended, ['', ''], [inProgress(progress('ok\nbelow'))])).toBe(
    `${progress('ok\nchanged')}\n`,
  );
});

test('an entry that a merge left in another section, or tore, stands in its own again', () => {
  const right = appendEntry('## Comments\n\n## Outcome\n\ntyped\n', 'Comments', twoLines('c1'));
  const wrong = `## Comments\n\n## Outcome\n\ntyped\n\n${twoLines('c1')}\n`;
  expect(settleEntries(wrong, [right, ''], [inComments(twoLines('c1'))])).toBe(right);
  const torn = `## Comments\n\n${twoLines('c1').split('\n')[0]}\n\n## Outcome\n\ntyped\n`;
  expect(settleEntries(torn, [right, ''], [inComments(twoLines('c1'))])).toBe(right);
  expect(settleEntries(wrong, ['', ''], [inComments(twoLines('c1'))])).toBe(wrong);
});

test.each(['\n', '\r\n'])('entries that both sides put into one place are not glued together (%j)', (end) => {
  const base = `## Comments\n\n${twoLines('c1')}\n\n`.replaceAll('\n', end);
  const [ours, theirs] = ['c2', 'c3'].map((id) => `${base}${twoLines(id).replaceAll('\n', end)}${end}`);
  const merged = mergeThree(base, ours!, theirs!).text;
  const entries = ['c1', 'c2', 'c3'].map((id) => inComments(twoLines(id)));
  const settled = settleEntries(merged, [ours!, theirs!], entries);
  expect(readComments(settled).map(({ text }) => text)).toEqual(
    ['c1', 'c3', 'c2'].map((id) => `two\nlines of ${id}`),
  );
});
