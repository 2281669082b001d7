// Every operation on a task, over files of every shape: afterwards the file reads as the same task plus the change, or
// the operation was refused and the file is untouched.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { isRoomError } from '../../../src/core/errors.ts';
import type { TaskDetail } from '../../../src/tasks/shapes/task.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { forAllTests } from '../../support/for-each-test.ts';
import { hostileBody } from '../../support/hostile-markdown.ts';
import { openTestRoom, PERSON, type TestRoom } from '../test-room.ts';

const FRONT: readonly string[] = [
  '---\nstatus: todo\n---\n',
  '---\nid: abcdefgh\nstatus: doing # mine\nowner: runbook\nodd: [1, 2]\n---\n',
  ...['---\r\nstatus: draft\r\npaused: no\r\n---\r\n', '---\n---\n', '\uFEFF---\nstatus: todo\n---\n'],
  ...['---\nstatus: todo\n---  ', '---\nstatus: todo\n---', '---\r\nid: abcdefgh\r\n---', ''],
];

const crOnly = hostileBody.map((body) => body.replace(/\r\n|\n/g, '\r'));
const body = fc
  .oneof(hostileBody, crOnly, fc.constant(''))
  // TOML front matter is no task.
  .filter((text) => !text.startsWith('+++'));
const file = fc
  .tuple(fc.constantFrom(...FRONT), body)
  // A front matter without a line end is the whole file.
  .map(([front, rest]) => (front === '' || front.endsWith('\n') ? front + rest.replaceAll('\0', '') : front))
  // A body of its own that opens a front matter and never closes it is no task.
  .filter((text) => parseDocument(text, 'a').ok);

const words = fc.oneof(
  fc.constantFrom(
    ...['said', '# heading', '```\nopen', '> quoted', '- [ ] box', '## Outcome', 'two\n\nparts', '-'],
  ),
  fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== '' && !text.includes('\0')),
);

interface Operation {
  name: string;
  run(rig: TestRoom, text: string): Promise<unknown>;
  /** What the file must say afterwards. */
  reads(after: TaskDetail, before: TaskDetail): void;
  /** Keys it may set beside `id`. */
  keys: readonly string[];
}

const steps = (detail: TaskDetail) => detail.steps.list;
const grows = (after: readonly unknown[], before: readonly unknown[]) =>
  expect(after.length).toBe(before.length + 1);
const holds = (heading: string) => (after: TaskDetail, before: TaskDetail) => {
  expect(after.body).toMatch(new RegExp(`(^|[\\r\\n]) {0,3}(## *${heading}|${heading})`, 'i'));
  expect(after.body.length).toBeGreaterThan(before.body.length);
};

const OPERATIONS: readonly Operation[] = [
  {
    name: 'comment',
    run: ({ tasks }, text) => tasks.call('comment', { ref: 'A', text }, PERSON),
    reads: (after, before) => grows(after.comments, before.comments),
    keys: [],
  },
  {
    name: 'progress',
    run: ({ tasks }, text) => tasks.call('progress', { ref: 'A', text }, PERSON),
    reads: holds('Progress'),
    keys: [],
  },
  {
    name: 'outcome',
    run: ({ tasks }, text) => tasks.call('outcome', { ref: 'A', text }, PERSON),
    reads: holds('Outcome'),
    keys: [],
  },
  {
    name: 'pause',
    run: ({ tasks }, text) => tasks.call('pause', { ref: 'A', reason: text }, PERSON),
    reads: (after) => expect(after.paused).toBe(true),
    keys: ['paused'],
  },
  {
    name: 'done',
    run: ({ tasks }, text) => tasks.call('complete', { ref: 'A', outcome: text }, PERSON),
    reads: (after) => expect(after.status).toBe('done'),
    keys: ['status', 'completed_by'],
  },
  {
    name: 'set',
    run: ({ tasks }) => tasks.call('set', { ref: 'A', keys: { priority: 'high', labels: 'x, y' } }, PERSON),
    reads: (after) => expect(after).toMatchObject({ priority: 'high', labels: ['x', 'y'] }),
    keys: ['priority', 'labels'],
  },
  {
    name: 'addStep',
    run: ({ tasks }) => tasks.call('addStep', { ref: 'A', title: 'Look', details: 'closely' }, PERSON),
    reads: (after, before) => grows(steps(after), steps(before)),
    keys: [],
  },
  {
    name: 'setStep',
    run: ({ tasks }) => tasks.call('editStep', { ref: 'A', index: 0, done: true }, PERSON),
    reads: (after) => expect(steps(after)[0]).toMatchObject({ done: true }),
    keys: [],
  },
  {
    name: 'setSteps',
    run: async ({ tasks }) => {
      const kept = (await tasks.call('show', { ref: 'A' }, PERSON)).steps.list.filter(
        ({ task }) => task !== null,
      );
      await tasks.call(
        'setSteps',
        { ref: 'A', steps: [...kept, { title: 'New', details: '', done: false, task: null }] },
        PERSON,
      );
    },
    reads: (after) => expect(steps(after).at(-1)).toMatchObject({ title: 'New' }),
    keys: [],
  },
];

/** Values of the front matter but those that were to change. */
function others(text: string, keys: readonly string[]): Record<string, unknown> {
  const parsed = parseDocument(text, 'a');
  if (!parsed.ok) throw new Error(`unreadable: ${JSON.stringify(text)}`);
  const { data } = parsed.doc;
  return Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'id' && !keys.includes(key)));
}

const rig = forAllTests(() => openTestRoom());

describe('F1: no operation harms a file', () => {
  for (const operation of OPERATIONS) {
    test(operation.name, async () => {
      await forAllAsync(20, file, words, async (text, said) => {
        rig.save('A.md', text);
        // Longer than what a stale buffer dropped is put back.
        rig.later(3_600_000);
        const before = await rig.call('show', { ref: 'A' });
        try {
          await operation.run(rig, said);
        } catch (error) {
          if (!isRoomError(error)) throw error;
          expect(['conflict', 'bad_input', 'not_found']).toContain(error.code);
          expect(rig.read('tasks/A.md')).toBe(text);
          return;
        }
        const after = await rig.call('show', { ref: 'A' });
        operation.reads(after, before);
        const now = rig.read('tasks/A.md');
        expect(others(now, operation.keys)).toEqual(others(text, operation.keys));
        if (operation.name.endsWith('Steps')) return;
        expect(after.comments).toEqual(expect.arrayContaining(before.comments));
        const lines = (whole: string) => whole.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
        const left = lines(now);
        const wanted = operation.name === 'setStep' ? [] : lines(before.body);
        expect(wanted.filter((line) => !left.includes(line))).toEqual([]);
      });
    });
  }
});
