import fc from 'fast-check';
import { expect, test } from 'vitest';
import { missingEntries, restoreLost, writtenSteps } from '../../../src/core/merge/lost-entries.ts';
import { editBody } from '../../../src/core/task/body/body-edit.ts';
import { appendStep, editStep } from '../../../src/core/task/body/step-edits.ts';
import { readTask } from '../../../src/core/task/read-task.ts';
import type { Step } from '../../../src/core/task/task.ts';
import { forAll } from '../../support/for-all.ts';

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
    const entries: { section: 'Steps'; block: string; base: string }[] = [];
    let text = start;
    for (const step of oneByOne ? added.map((one) => [one]) : [added]) {
      const base = text;
      for (const one of step) text = add(text, one.title, one.details);
      for (const block of writtenSteps(base, text, [])) entries.push({ section: 'Steps', block, base });
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
