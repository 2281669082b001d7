import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { lineHunks, mergeLines } from '../../../src/core/merge/line-merge.ts';
import { mergeThree } from '../../../src/core/merge/merge.ts';
import { forAll } from '../../support/for-all.ts';

const line = fc.constantFrom('', 'a', 'b', 'c', '- x', '## Progress', '---');
const lines = fc.array(line, { maxLength: 14 });

describe('lineHunks', () => {
  test('applied to the first list they give the second, and nothing else is touched', () => {
    forAll(900, lines, lines, (from, to) => {
      let at = 0;
      let toAt = 0;
      for (const hunk of lineHunks(from, to)) {
        expect(from.slice(at, hunk.start)).toEqual(to.slice(toAt, hunk.toStart));
        expect(hunk.end - hunk.start + hunk.toEnd - hunk.toStart).toBeGreaterThan(0);
        at = hunk.end;
        toAt = hunk.toEnd;
      }
      expect(from.slice(at)).toEqual(to.slice(toAt));
    });
  });

  test('long and hostile lists end, and stay right', () => {
    const same = Array.from({ length: 120_000 }, () => '');
    const other = Array.from({ length: 110_000 }, (_, at) => (at % 3 ? '' : 'x'));
    const hunks = lineHunks(same, other);
    expect(hunks.reduce((sum, hunk) => sum + (hunk.toEnd - hunk.toStart) - (hunk.end - hunk.start), 0)).toBe(
      -10_000,
    );
    const numbered = Array.from({ length: 60_000 }, (_, at) => `line ${at}`);
    const edited = ['first', ...numbered.slice(0, 30_000), 'middle', ...numbered.slice(30_001), 'last'];
    expect(lineHunks(numbered, edited)).toEqual([
      { start: 0, end: 0, toStart: 0, toEnd: 1 },
      { start: 30_000, end: 30_001, toStart: 30_001, toEnd: 30_002 },
      { start: 60_000, end: 60_000, toStart: 60_001, toEnd: 60_002 },
    ]);
  }, 20_000);
});

describe('mergeLines', () => {
  const insertions = (base: readonly string[], tag: string) =>
    fc.array(fc.nat({ max: base.length }), { maxLength: 5 }).map((places) => {
      const result: string[] = [];
      for (let at = 0; at <= base.length; at += 1) {
        for (const [index, place] of places.entries()) if (place === at) result.push(`${tag}${index}`);
        if (at < base.length) result.push(base[at]!);
      }
      return result;
    });

  test('insertions of both sides are all there, beside every line of base', () => {
    const both = lines.chain((base) =>
      fc.tuple(fc.constant(base), insertions(base, 'ours '), insertions(base, 'theirs ')),
    );
    forAll(300, both, ([base, ours, theirs]) => {
      const merged = mergeLines(base, ours, theirs).lines;
      expect([...merged].sort()).toEqual([...base, ...ours.filter(isNew), ...theirs.filter(isNew)].sort());
    });
  });

  test('whatever ours is, theirs stands: no line that theirs added is lost', () => {
    const both = fc
      .tuple(lines, lines)
      .chain(([base, ours]) => fc.tuple(fc.constant(base), fc.constant(ours), insertions(base, 'theirs ')));
    forAll(300, both, ([base, ours, theirs]) => {
      const { lines: merged } = mergeLines(base, ours, theirs);
      expect(merged.filter(isNew)).toEqual(theirs.filter(isNew));
    });
  });

  test('a side that did nothing changes nothing; equal sides are no conflict', () => {
    forAll(300, lines, lines, (base, side) => {
      expect(mergeLines(base, base, side)).toEqual({ lines: side, conflicts: [] });
      expect(mergeLines(base, side, base)).toEqual({ lines: side, conflicts: [] });
      expect(mergeLines(base, side, side)).toEqual({ lines: side, conflicts: [] });
    });
  });
});

function isNew(line: string): boolean {
  return line.startsWith('ours ') || line.startsWith('theirs ');
}

describe('mergeThree', () => {
  const task = (head: string, body: string) => `---\n${head}---\n${body}`;
  const base = task('status: todo # mine\ntitle: "A"\n', '\n## Task\n\nDo it.\n\n## Notes\n\nnote\n');
  const but = (was: string, is: string) => base.replace(was, is);

  test.each([
    [
      'body both',
      but('note', 'note\nours'),
      but('Do it.', 'Do it now.'),
      but('note', 'note\nours').replace('Do it.', 'Do it now.'),
    ],
    ['one place', but('note', 'note\nours'), but('note', 'note\ntyped'), but('note', 'note\ntyped\nours')],
    [
      'our status, their text',
      but('todo', 'doing'),
      but('note', 'typed'),
      but('todo', 'doing').replace('note', 'typed'),
    ],
    ['both status', but('todo', 'doing'), but('todo', 'done'), but('todo', 'done')],
    [
      'both status, our id',
      but('todo', 'doing').replace('"A"\n', '"A"\nid: abc\n'),
      but('todo', 'done').replace('"A"', '"B"'),
      but('todo', 'done').replace('"A"\n', '"B"\nid: abc\n'),
    ],
    ['their empty front matter', but('todo', 'doing'), task('', '\nnew\n'), task('', '\nnew\n')],
    ['both deleted', but('note\n', ''), but('note\n', ''), but('note\n', '')],
    ['deleted and changed', but('note\n', ''), but('note', 'note!'), but('note', 'note!')],
  ])('%s', (_name, ours, theirs, expected) => {
    expect(mergeThree(base, ours, theirs).text).toBe(expected);
  });

  test('conflicts are reported with all three versions', () => {
    const merge = mergeThree(base, but('note', 'x'), but('note', 'y'));
    expect(merge.conflicts).toEqual([{ base: 'note', ours: 'x', theirs: 'y' }]);
  });

  test('line ends are those of theirs, also where ours adds', () => {
    const crlf = (text: string) => text.replaceAll('\n', '\r\n');
    const ours = but('note', 'note\nours');
    const theirs = but('Do it.', 'Typed.');
    const both = ours.replace('Do it.', 'Typed.');
    expect(mergeThree(base, ours, crlf(theirs)).text).toBe(crlf(both));
    expect(mergeThree(crlf(base), crlf(ours), theirs).text).toBe(both);
    const mixed = crlf(base).replace('Do it.\r\n', 'Typed.\n');
    expect(mergeThree(crlf(base), crlf(ours), mixed).text).toBe(crlf(ours).replace('Do it.\r\n', 'Typed.\n'));
  });

  test('a file without a final line end keeps its last line apart', () => {
    expect(mergeThree('a', 'a\nours', 'a typed').text).toBe('a typed\nours');
    expect(mergeThree('a', 'a\nours\n', 'a typed').text).toBe('a typed\nours\n');
  });

  test('readable texts merge into a readable one, and theirs values stand', () => {
    const value = fc.constantFrom('todo', 'doing', 'done', '"a # b"', '[x, y]', '|\n  long\n  text');
    const key = fc.constantFrom('status', 'title', 'owner', 'labels', 'x');
    const head = fc.dictionary(key, value, { maxKeys: 4 }).map((data) =>
      Object.entries(data)
        .map(([k, v]) => `${k}: ${v}\n`)
        .join(''),
    );
    const text = fc
      .tuple(fc.option(head), lines)
      .map(([front, body]) => (front === null ? `\n${body.join('\n')}` : task(front, body.join('\n'))));
    const readable = text.filter((each) => parseDocument(each, 'a').ok);
    forAll(600, readable, readable, readable, (first, ours, theirs) => {
      const merged = parseDocument(mergeThree(first, ours, theirs).text, 'a');
      expect(merged.ok).toBe(true);
      const [was, typed] = [parseDocument(first, 'a'), parseDocument(theirs, 'a')];
      if (!merged.ok || !was.ok || !typed.ok) return;
      for (const [name, said] of Object.entries(typed.doc.data)) {
        if (JSON.stringify(said) !== JSON.stringify(was.doc.data[name]))
          expect(merged.doc.data[name]).toEqual(said);
      }
    });
  });
});
