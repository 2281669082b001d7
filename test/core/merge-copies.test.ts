import { expect, test } from 'vitest';
import { formatComment, formatProgress } from '../../src/core/entries.ts';
import { dropCopies } from '../../src/core/entry-copies.ts';
import { appendEntry } from '../../src/core/lost-entries.ts';
import { mergeThree } from '../../src/core/merge.ts';

const AT = Date.UTC(2026, 10, 20, 10, 0);
const comment = (id: string) =>
  formatComment({ author: 'ann', role: null, atMs: AT, id, text: `two\nlines of ${id}` });
const progress = (text: string) => formatProgress({ atMs: AT, text });

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
  expect(dropCopies(merged, [ours, full], [...blocks, comment('c4')])).toBe(
    appendEntry(full, 'Comments', comment('c4')),
  );
});

test('what a side had twice stays twice, what nobody doubled is not touched', () => {
  const twice = `## Progress\n\n${progress('ok')}\n${progress('ok')}\n`;
  expect(dropCopies(twice, [twice, ''], [progress('ok')])).toBe(twice);
  const thrice = `${twice}${progress('ok')}\n`;
  expect(dropCopies(thrice, [twice, twice], [progress('ok'), progress('ok')])).toBe(twice);
  const mended = `${progress('ok\nbelow')}\n${progress('ok\nchanged')}\n`;
  expect(dropCopies(mended, ['', ''], [progress('ok\nbelow')])).toBe(`${progress('ok\nchanged')}\n`);
});
