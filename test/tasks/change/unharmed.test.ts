// Every operation on a task, over files of every shape: afterwards the file reads as the same task plus the change, or
// the operation was refused and the file is untouched.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDocument } from '../../../src/core/document/document.ts';
import { isRoomError } from '../../../src/core/errors.ts';
import type { TaskDetail } from '../../../src/tasks/shapes/task.ts';
import { forAllAsync } from '../../support/for-all.ts';
import { forAllTests } from '../../support/for-each-test.ts';
import { hostileBody } from '../../support/hostile-markdown.ts';
import { openTestRoom, type TestRoom } from '../test-room.ts';

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
  run(rig: TestRoom, text: string): Promise<unknown>;
  /** What the file must say afterwards. */
  reads(after: TaskDetail, before: TaskDetail): void;
  /** Keys it may set beside `id`; absent for none. */
  keys?: readonly string[];
}

const steps = (detail: TaskDetail) => detail.steps.list;
const grows = (after: readonly unknown[], before: readonly unknown[]) =>
  expect(after.length).toBe(before.length + 1);
const holds = (heading: string) => (after: TaskDetail, before: TaskDetail) => {
  expect(after.body).toMatch(new RegExp(`(^|[\\r\\n]) {0,3}(## *${heading}|${heading})`, 'i'));
  expect(after.body.length).toBeGreaterThan(before.body.length);
};

const OPERATIONS: Readonly<Record<string, Operation>> = {
  comment: {
    run: ({ call }, text) => call('comment', { ref: 'A', text }),
    reads: (after, before) => grows(after.comments, before.comments),
  },
  progress: { run: ({ call }, text) => call('progress', { ref: 'A', text }), reads: holds('Progress') },
  outcome: { run: ({ call }, text) => call('outcome', { ref: 'A', text }), reads: holds('Outcome') },
  pause: {
    run: ({ call }, text) => call('pause', { ref: 'A', reason: text }),
    reads: (after) => expect(after.paused).toBe(true),
    keys: ['paused'],
  },
  done: {
    run: ({ call }, text) => call('complete', { ref: 'A', outcome: text }),
    reads: (after) => expect(after.status).toBe('done'),
    keys: ['status', 'completed_by'],
  },
  set: {
    run: ({ call }) => call('set', { ref: 'A', keys: { priority: 'high', labels: 'x, y' } }),
    reads: (after) => expect(after).toMatchObject({ priority: 'high', labels: ['x', 'y'] }),
    keys: ['priority', 'labels'],
  },
  addStep: {
    run: ({ call }) => call('addStep', { ref: 'A', title: 'Look', details: 'closely' }),
    reads: (after, before) => grows(steps(after), steps(before)),
  },
  setStep: {
    run: ({ call }) => call('editStep', { ref: 'A', index: 0, done: true }),
    reads: (after) => expect(steps(after)[0]).toMatchObject({ done: true }),
  },
  setSteps: {
    async run({ call }) {
      const kept = steps(await call('show', { ref: 'A' })).filter(({ task }) => task !== null);
      const made = { title: 'New', details: '', done: false, task: null };
      await call('setSteps', { ref: 'A', steps: [...kept, made] });
    },
    reads: (after) => expect(steps(after).at(-1)).toMatchObject({ title: 'New' }),
  },
};

/** Values of the front matter but those that were to change. */
function others(text: string, keys: readonly string[]): Record<string, unknown> {
  const parsed = parseDocument(text, 'a');
  if (!parsed.ok) throw new Error(`unreadable: ${JSON.stringify(text)}`);
  const { data } = parsed.doc;
  return Object.fromEntries(Object.entries(data).filter(([key]) => key !== 'id' && !keys.includes(key)));
}

const rig = forAllTests(() => openTestRoom());

test.for(Object.entries(OPERATIONS))('F1: no operation harms a file: %s', async ([name, operation]) => {
  const { keys = [] } = operation;
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
    expect(others(now, keys)).toEqual(others(text, keys));
    if (name.endsWith('Steps')) return;
    expect(after.comments).toEqual(expect.arrayContaining(before.comments));
    const lines = (whole: string) => whole.split(/\r\n|\r|\n/).filter((line) => line.trim() !== '');
    const left = lines(now);
    const wanted = name === 'setStep' ? [] : lines(before.body);
    expect(wanted.filter((line) => !left.includes(line))).toEqual([]);
  });
});
