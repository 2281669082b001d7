import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { lineHunks, mergeLines } from '../../../src/core/merge/line-merge.ts';
import { missingEntries, restoreLost, writtenSteps } from '../../../src/core/merge/lost-entries.ts';
import { mergeThree } from '../../../src/core/merge/merge.ts';
import { mergeSpellings } from '../../../src/core/merge/spelling-merge.ts';
import { editBody } from '../../../src/core/task/body/body-edit.ts';
import { appendStep, editStep } from '../../../src/core/task/body/step-edits.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import type { Step } from '../../../src/core/task/task.ts';
import { normalise } from '../../../src/providers/linear/normalise.ts';
import { forAll } from '../../support/for-all.ts';
import { rewriteMarkdown } from '../../support/linear-server/rewrite-markdown.ts';
import { numberedMarkdown } from '../../support/numbered-markdown.ts';

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

const isNew = (line: string): boolean => line.startsWith('ours ') || line.startsWith('theirs ');

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
  ])('%s', (_name, ours, theirs, expected) => expect(mergeThree(base, ours, theirs).text).toBe(expected));

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

const PATH = 'tasks/a.md';
const STARTS = [
  '---\nid: abc\n---\n\n## Task\n\nDo it.\n\n## Steps\n\n- [ ] mine\n  with details\n\n## Notes\n\n- [ ] a\n\n## Progress\n',
  '---\nid: abc\n---\nNo sections.\n',
  '---\nid: abc\n---\n## Steps\n1. [x] first\n2. [ ] second\n',
].flatMap((text) => [text, text.replaceAll('\n', '\r\n')]);

const add = (text: string, title: string, details = '') =>
  editBody(text, PATH, (body, offset) =>
    appendStep(body, { title, details, done: false, task: null }, offset),
  );
function stepsOf(text: string): Step[] {
  const reading = readTask(PATH, text, null);
  if (!reading.ok) throw new Error('the file became unreadable');
  return reading.task.steps;
}

const title = fc.constantFrom('a', 'b', 'mine', 'Fix · it', '[x] odd', 'a (b)');
const details = fc.constantFrom('', 'more', '- [ ] nested\n\nlast');
const steps = fc.array(fc.record({ title, details }), { minLength: 1, maxLength: 6 });

test('whatever steps an edit adds, a save from before it gets all of them back, in order, and keeps what was typed', () => {
  forAll(150, fc.constantFrom(...STARTS), steps, fc.boolean(), (start, added, oneByOne) => {
    const entries: { section: 'Steps'; block: string }[] = [];
    let text = start;
    for (const step of oneByOne ? added.map((one) => [one]) : [added]) {
      const base = text;
      for (const one of step) text = add(text, one.title, one.details);
      for (const block of writtenSteps(base, text, [])) entries.push({ section: 'Steps', block });
    }
    expect(entries).toHaveLength(added.length);
    expect(missingEntries(text, entries)).toEqual([]);
    const stale = `${start}typed${start.includes('\r') ? '\r\n' : '\n'}`;
    const missing = missingEntries(stale, entries);
    const { text: mended } = restoreLost(stale, missing);
    expect(missingEntries(mended, entries)).toEqual([]);
    for (const line of stale.split(/\r?\n/)) expect(mended.split(/\r?\n/)).toContain(line);
    const wanted = (list: readonly Step[]) => list.map((step) => step.title).sort();
    // A box of the same title elsewhere in the file stands for a step: it is not put beside it.
    if (missing.length === entries.length) expect(wanted(stepsOf(mended))).toEqual(wanted(stepsOf(text)));
    if (missing.length === entries.length && !oneByOne)
      expect(stepsOf(mended).slice(-added.length)).toEqual(stepsOf(text).slice(-added.length));
  });
});

test('a step is known whoever ticked it, with another marker, linked or under other details', () => {
  const entries = [{ block: '- [ ] build it\n  with care' }];
  for (const line of [
    '- [x] build it',
    '* [X] build it',
    '3. [ ] build it (task:abc)',
    '- [ ] build it\n  x',
  ])
    expect(missingEntries(`## Steps\n${line}\n`, entries)).toEqual([]);
  expect(missingEntries('## Steps\n- [ ] build them\n', entries)).toEqual(entries);
});

test('one of ours that is ticked or detailed is written again as it stands; what a person wrote is not ours', () => {
  const before = add(STARTS[0]!, 'ours');
  const tick = (index: number) =>
    editBody(before, PATH, (body, offset) => editStep(body, index, { done: true }, offset));
  expect(writtenSteps(before, tick(1), ['- [ ] ours'])).toEqual(['- [x] ours']);
  expect(writtenSteps(before, tick(0), ['- [ ] ours'])).toEqual([]);
  expect(writtenSteps(before, before, ['- [ ] ours'])).toEqual([]);
});

test('where steps were renamed nothing is written: a stale buffer has them under their old names', () => {
  const before = add(STARTS[0]!, 'ours');
  const after = editBody(before, PATH, (body, offset) => editStep(body, 1, { title: 'renamed' }, offset));
  expect(writtenSteps(before, after, ['- [ ] ours'])).toEqual([]);
});

// Two spellings of one text, an edit on each side: both edits arrive on both sides, and no other letter changes.
const lineOf = (text: string, word: string): number =>
  text.split('\n').findIndex((line) => line.includes(word));

test('M1: of random markdown only the edited lines change, on both sides', () => {
  let merged = 0;
  forAll(400, numberedMarkdown, fc.nat(), fc.nat(), ({ text: localBase, words }, a, b) => {
    fc.pre(words.length > 1);
    const [mine, yours] = [words[a % words.length]!, words[b % words.length]!];
    const remoteBase = rewriteMarkdown(localBase);
    const edit = (text: string, word: string, by: string) => text.replace(word, `${word} edited_${by}`);
    const local = edit(localBase, mine, 'here');
    const remote = edit(remoteBase, yours, 'there');
    const apart = Math.min(
      ...[localBase, remoteBase].map((text) => Math.abs(lineOf(text, mine) - lineOf(text, yours))),
    );
    const both = mergeSpellings({ localBase, remoteBase, local, remote }, normalise);
    if (apart < 2) return;
    merged += 1;
    // The edited line itself comes as its editor spelled it.
    const unedited = (text: string | undefined, word: string) =>
      text?.split('\n').map((line) => (line.includes(word) ? `${word} ${line.includes('edited')}` : line));
    const [here, there] = [edit(local, yours, 'there'), edit(remote, mine, 'here')];
    expect(unedited(both?.local, yours)).toEqual(unedited(here, yours));
    expect(unedited(both?.remote, mine)).toEqual(unedited(there, mine));
  });
  expect(merged).toBeGreaterThan(0);
});

test('a line that one side only spells anew keeps what that side says', () => {
  const texts = { localBase: '- a\n\n- b\n\nc', remoteBase: '* a\n* b\n\nc' };
  const both = mergeSpellings({ ...texts, local: '- a\n\n+ b\n\nc', remote: '* a\n* b\n\nd' }, normalise);
  expect(both).toEqual({ local: '- a\n\n+ b\n\nd', remote: '* a\n* b\n\nd' });
});

test('two edits of one line, or of lines that touch, are a conflict', () => {
  const one = { localBase: 'a', remoteBase: 'a', local: 'b', remote: 'c' };
  expect(mergeSpellings(one, normalise)).toBeNull();
  const heading = { localBase: 'Title\n===\ntext', remoteBase: '# Title\n\ntext' };
  const edits = { local: 'Title\n===\ntext here', remote: '# Title there\n\ntext' };
  expect(mergeSpellings({ ...heading, ...edits }, normalise)).toBeNull();
});

test('a piece that each side spells in other lines keeps them while the other side edits elsewhere', () => {
  const texts = { localBase: 'Title\n===\n\na_b\n\nc', remoteBase: '# Title\n\na\\_b\n\nc' };
  const edits = { local: 'Title\n===\n\na_b\n\nd', remote: '# Title\n\na\\_b\n\nc' };
  expect(mergeSpellings({ ...texts, ...edits }, normalise)).toEqual({
    local: edits.local,
    remote: '# Title\n\na\\_b\n\nd',
  });
});
