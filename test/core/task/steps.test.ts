import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyEdits } from '../../../src/core/document/edits.ts';
import { isRoomError } from '../../../src/core/errors.ts';
import { appendStep, editStep, replaceSteps } from '../../../src/core/task/body/step-edits.ts';
import { readSteps } from '../../../src/core/task/body/steps.ts';
import type { Step } from '../../../src/core/task/task.ts';
import { forAll } from '../../support/for-all.ts';
import { hostileBody, hostileMarkdown } from '../../support/hostile-markdown.ts';

const step = (title: string, more: Partial<Step> = {}): Step => ({
  title,
  details: '',
  done: false,
  task: null,
  ...more,
});
const bare = (steps: readonly Step[]): Step[] =>
  steps.map(({ title, details, done, task }) => ({ title, details, done, task }));
const isClean = (title: string): boolean =>
  title === title.trim() && title !== '' && !/\(task:[\w-]+\)$/.test(title);
const someStep: fc.Arbitrary<Step> = fc.record({
  title: fc
    .string({ minLength: 1, maxLength: 30 })
    .map((text) => text.trim())
    .filter(isClean),
  details: hostileMarkdown,
  done: fc.boolean(),
  task: fc.constantFrom(null, null, 'k2xm9q4c'),
});

test.each<[string, Step[]]>([
  [
    '## Steps\n- [ ] a\n- [x] b\n* [X] c\n+ [ ] d\n1. [ ] e\n',
    [step('a'), step('b', { done: true }), step('c', { done: true }), step('d'), step('e')],
  ],
  ['## Steps\n- [ ] a (task:k2xm9q4c)\n', [step('a', { task: 'k2xm9q4c' })]],
  ['## Steps\n- [ ] a (task:no good)\n', [step('a (task:no good)')]],
  [
    '## Steps\r\n- [ ] a\r\n      one\r\n\r\n        two\r\n\r\n- [ ] b',
    [step('a', { details: 'one\n\n  two' }), step('b')],
  ],
  ['- [ ] before\n## Steps\n- [ ] a\n## Notes\n- [ ] after\n', [step('a')]],
  ['## Steps\n```\n- [ ] code\n```\n> - [ ] quoted\n\n<!--\n- [ ] hidden\n-->\n', []],
  ['## Steps\n- plain\n- [] none\n- [y] none\n- [ ]\n- - [ ] nested\n', []],
  ['## Steps\n- [ ] a\n  - [ ] nested\n', [step('a', { details: '- [ ] nested' })]],
  ['## Steps\n- [ ] a\n## Steps\n- [ ] b\n', [step('a'), step('b')]],
])('readSteps %j', (body, expected) => expect(bare(readSteps(body))).toEqual(expected));

test.each([
  ['', '## Steps\n\n- [ ] new\n'],
  ['## Steps\n* [ ] a\n\n## Notes\n', '## Steps\n* [ ] a\n* [ ] new\n\n## Notes\n'],
  ['## Steps\n9. [ ] a\n   more', '## Steps\n9. [ ] a\n   more\n10. [ ] new'],
])('appendStep %j', (body, expected) => {
  expect(applyEdits(body, appendStep(body, step('new'), 0))).toBe(expected);
});

describe('replaceSteps', () => {
  const body =
    '## Steps\nprose\n\n- [ ] a\n  why\n* [X] b (task:k2xm9q4c)\n\nmore prose\n- [ ] c\n\n## Notes\n';
  const [a, b, c] = bare(readSteps(body)) as [Step, Step, Step];

  test.each<[string, Step[], string]>([
    ['same', [a, b, c], body],
    ['one ticked', [{ ...a, done: true }, b, c], body.replace('[ ] a', '[x] a')],
    ['one unticked', [a, { ...b, done: false }, c], body.replace('[X] b', '[ ] b')],
    ['one dropped', [b, c], body.replace('- [ ] a\n  why\n', '')],
    ['last dropped', [a, b], body.replace('- [ ] c\n', '')],
    [
      'one in between',
      [a, step('new', { details: 'x' }), b, c],
      body.replace('  why\n', '  why\n- [ ] new\n  x\n'),
    ],
    ['one before', [step('new'), a, b, c], body.replace('- [ ] a', '- [ ] new\n- [ ] a')],
    ['one after', [a, b, c, step('new')], body.replace('- [ ] c\n', '- [ ] c\n- [ ] new\n')],
  ])('%s', (_, steps, expected) => expect(applyEdits(body, replaceSteps(body, steps, 0))).toBe(expected));

  test('refuses to drop a linked step (S10)', () => {
    expect(() => replaceSteps(body, [a, c], 0)).toThrow(expect.objectContaining({ code: 'not_allowed' }));
    expect(() => replaceSteps(body, [a, { ...b, task: null }], 0)).toThrow(
      expect.objectContaining({ code: 'not_allowed' }),
    );
  });

  test('links no step, and none twice (S10)', () => {
    const wrong = [
      [a, b, { ...c, task: 'other123' }],
      [a, b, { ...c, task: b.task }],
    ];
    for (const steps of wrong)
      expect(() => replaceSteps(body, steps, 0)).toThrow(expect.objectContaining({ code: 'not_allowed' }));
  });

  test('makes any steps of any body, or says that it can not and changes nothing', () => {
    let conflicts = 0;
    let done = 0;
    forAll(700, hostileBody, fc.array(someStep, { maxLength: 4 }), fc.boolean(), (text, some, keep) => {
      const fresh = some.map((one) => ({ ...one, task: null }));
      const present = bare(readSteps(text));
      const linked = present.filter((one) => one.task !== null);
      const wanted = keep ? [...present.toReversed(), ...fresh] : [...fresh, ...linked];
      try {
        const result = applyEdits(text, replaceSteps(text, wanted, 0));
        expect(readSteps(result).map((one) => [one.title, one.done, one.task])).toEqual(
          wanted.map((one) => [one.title, one.done, one.task]),
        );
        done += 1;
      } catch (error) {
        if (!isRoomError(error, 'conflict') && !isRoomError(error, 'bad_input')) throw error;
        conflicts += 1;
      }
    });
    expect(conflicts).toBeLessThan(done / 10);
  });
});

describe('editStep', () => {
  const body = '## Steps\n* [ ] a\n  why\n\n  more\n2. [X] b  (task:k2xm9q4c)\n\n## Notes\n';

  test.each<[string, number, object, string]>([
    ['a title', 0, { title: ' new ' }, body.replace('a\n', 'new\n')],
    ['a tick', 0, { done: true }, body.replace('[ ]', '[x]')],
    ['details', 0, { details: 'x\ny' }, body.replace('why\n\n  more', 'x\n  y')],
    ['no details', 0, { details: '' }, body.replace('\n  why\n\n  more', '')],
    ['the title of a linked one', 1, { title: 'new' }, body.replace('b  (', 'new (')],
    ['details of a numbered one', 1, { details: 'x' }, body.replace('k2xm9q4c)', 'k2xm9q4c)\n   x')],
    ['nothing', 1, { title: 'b', details: '', done: true }, body],
  ])('%s', (_, index, change, expected) => {
    expect(applyEdits(body, editStep(body, index, change, 0))).toBe(expected);
  });

  test('changes that one step of any body as meant, or says that it can not', () => {
    let done = 0;
    let conflicts = 0;
    forAll(700, hostileBody, someStep, fc.nat({ max: 3 }), (text, { title, details, done: tick }, index) => {
      const before = bare(readSteps(text));
      try {
        const result = applyEdits(text, editStep(text, index, { title, details, done: tick }, 0));
        const after = bare(readSteps(result));
        expect(after[index]).toMatchObject({ done: tick, task: before[index]!.task });
        expect(after.toSpliced(index, 1)).toEqual(before.toSpliced(index, 1));
        done += 1;
      } catch (error) {
        if (isRoomError(error, 'conflict')) conflicts += 1;
        else if (!isRoomError(error, 'bad_input') && !isRoomError(error, 'not_found')) throw error;
      }
    });
    expect(conflicts).toBeLessThanOrEqual(done / 5);
  });
});
