import { expect, test } from 'vitest';
import { settleEntries } from '../../../src/core/merge/entry-copies.ts';
import { appendEntry } from '../../../src/core/merge/lost-entries.ts';
import { mergeThree } from '../../../src/core/merge/merge.ts';
import { formatComment, formatProgress, readComments } from '../../../src/core/task/body/entries.ts';

const AT = Date.UTC(2026, 10, 20, 10, 0);
const comment = (id: string) =>
  formatComment({ author: 'ann', role: null, atMs: AT, id, text: `two\nlines of ${id}` });
const progress = (text: string) => formatProgress({ atMs: AT, text });

const inComments = (block: string) => ({ section: 'Comments' as const, block });
const inProgress = (block: string) => ({ section: 'Progress' as const, block });

test('a text read half written, given its entries back, then written to its end: everything once', () => {
  const head = '---\nid: abc\n---\n\n## Task\n\nDo it.\n';
  const blocks = ['c1', 'c2', 'c3'].map(comment);
  const full = blocks.reduce(
    (text, block) => appendEntry(text, 'Comments', block),
    `${head}\n## Notes\n\ntyped\n`,
  );
  const half = head;
  const ours = [...blocks, comment('c4')].reduce((text, block) => appendEntry(text, 'Comments', block), half);
  const merged = mergeThree(half, ours, full).text;
  expect(settleEntries(merged, [ours, full], [...blocks, comment('c4')].map(inComments))).toBe(
    appendEntry(full, 'Comments', comment('c4')),
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
  const right = appendEntry('## Comments\n\n## Outcome\n\ntyped\n', 'Comments', comment('c1'));
  const wrong = `## Comments\n\n## Outcome\n\ntyped\n\n${comment('c1')}\n`;
  expect(settleEntries(wrong, [right, ''], [inComments(comment('c1'))])).toBe(right);
  const torn = `## Comments\n\n${comment('c1').split('\n')[0]}\n\n## Outcome\n\ntyped\n`;
  expect(settleEntries(torn, [right, ''], [inComments(comment('c1'))])).toBe(right);
  expect(settleEntries(wrong, ['', ''], [inComments(comment('c1'))])).toBe(wrong);
});

test.each(['\n', '\r\n'])('entries that both sides put into one place are not glued together (%j)', (end) => {
  const base = `## Comments\n\n${comment('c1')}\n\n`.replaceAll('\n', end);
  const [ours, theirs] = ['c2', 'c3'].map((id) => `${base}${comment(id).replaceAll('\n', end)}${end}`);
  const merged = mergeThree(base, ours!, theirs!).text;
  const entries = ['c1', 'c2', 'c3'].map((id) => inComments(comment(id)));
  const settled = settleEntries(merged, [ours!, theirs!], entries);
  expect(readComments(settled).map(({ text }) => text)).toEqual(
    ['c1', 'c3', 'c2'].map((id) => `two\nlines of ${id}`),
  );
});
