import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskId } from '../../src/core/ids.ts';
import { packReading, unpackReading } from '../../src/core/packed-reading.ts';
import { STATUSES } from '../../src/core/status.ts';
import { PRIORITIES, type Task } from '../../src/core/task.ts';
import { nameOfPath } from '../../src/core/task-name.ts';

const RUNS = Number(process.env.FC_RUNS ?? 300);
const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const some = fc.option(text);
const texts = fc.array(text, { maxLength: 3 });

const task: fc.Arbitrary<Task> = fc
  .record({
    path: text.map((name) => `tasks/${name.replaceAll('/', '-')}.md`),
    id: fc.option(text.map((id) => id as TaskId)),
    title: some,
    status: fc.constantFrom(...STATUSES),
    paused: fc.boolean(),
    requester: fc.oneof(fc.constant('owner'), text),
    owner: some,
    priority: fc.option(fc.constantFrom(...PRIORITIES)),
    blockedBy: texts,
    parent: some,
    labels: texts,
    sprint: some,
    artifact: some,
    scope: some,
    sort: fc.option(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    ),
    due: some,
    activeForm: some,
    created: some,
    createdBy: some,
    completedBy: some,
    updated: some,
    remote: some,
    steps: fc.array(fc.record({ title: text, details: text, done: fc.boolean(), task: some }), {
      maxLength: 4,
    }),
    resources: fc.array(fc.record({ kind: fc.constantFrom('url', 'file'), value: text, label: some }), {
      maxLength: 2,
    }),
    revision: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
    hash: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
  })
  .map((facts) => ({ ...facts, name: nameOfPath(facts.path) }) as Task);

test('a reading comes back as it was', () => {
  fc.assert(
    fc.property(task, (facts) => {
      const reading = { ok: true as const, task: facts };
      expect(unpackReading(packReading(reading), facts.path, facts.hash)).toEqual(reading);
    }),
    { numRuns: RUNS },
  );
});

test('so does one that could not be read', () => {
  const problems = [{ path: 'tasks/x.md', line: 2, col: 8, message: 'odd' }];
  const reading = { ok: false as const, invalid: { path: 'tasks/x.md', problems } };
  expect(unpackReading(packReading(reading), 'tasks/x.md', 'hash')).toEqual(reading);
});

test('what a field says by default takes no room', () => {
  const nothing = {
    id: null,
    title: null,
    owner: null,
    priority: null,
    parent: null,
    sprint: null,
    artifact: null,
  };
  const rest = { scope: null, sort: null, due: null, activeForm: null, created: null, createdBy: null };
  const last = {
    completedBy: null,
    updated: null,
    remote: null,
    steps: [],
    resources: [],
    blockedBy: [],
    labels: [],
  };
  const facts = {
    path: 'tasks/a.md',
    name: 'a',
    status: 'todo',
    paused: false,
    requester: 'owner',
    revision: 'r',
    hash: 'h',
  };
  const plain = { ...facts, ...nothing, ...rest, ...last } as Task;
  expect(packReading({ ok: true, task: plain })).toBe('{"r":"r"}');
});
