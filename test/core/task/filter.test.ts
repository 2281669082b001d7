// The language by which tasks are found: what is read of a text, and which tasks fit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TaskId } from '../../../src/core/ids.ts';
import { createFilter, type FilteredTask, formatFilter, parseFilter } from '../../../src/core/task/filter.ts';
import { asListed, packReading, unpackForList, unpackReading } from '../../../src/core/task/listed-task.ts';
import { nameOfPath } from '../../../src/core/task/names.ts';
import { PRIORITIES, STATUSES } from '../../../src/core/task/status.ts';
import type { Task } from '../../../src/core/task/task.ts';
import { FILTER_KEYS, factsOf } from '../../../src/core/task/task-keys.ts';
import { forAll } from '../../support/for-all.ts';

const NOW = new Date(2026, 11, 2, 12).getTime();
const NONE = { id: null, title: null, paused: false, waiting: false, running: null, blocked: false };
const task = (name: string, more: Partial<FilteredTask> = {}): FilteredTask => ({
  ...{ ...NONE, name, status: 'todo', owner: null, priority: null, labels: [], sprint: null, scope: null },
  ...{ artifact: null, parent: null, due: null, nothing_written: false, pending: false },
  ...more,
});
const TASKS = [
  task('web', { labels: ['web', 'ui'], due: '2026-12-03', sprint: 'two words' }),
  task('website', { labels: ['website'], owner: 'claude', status: 'doing', paused: true }),
  task('late', { due: '2026-12-01T09:00', priority: 'high', parent: 'task:local:abc' }),
  task('over', { status: 'done', paused: true }),
];

function found(text: string) {
  const room = { nowMs: NOW, agents: () => ['claude', 'codex'], defaultAgent: () => 'codex', tasks: TASKS };
  const { fits, notes } = createFilter(parseFilter(text), room);
  return { names: TASKS.filter(fits).map(({ name }) => name), notes };
}

test.each([
  ['label:web', ['web']],
  ['label:webs', ['website']],
  ['#ui,website', ['web', 'website']],
  ['labels:UI', ['web']],
  ['@claude', ['website']],
  ['owner:codex', ['web', 'late', 'over']],
  ['status:to', ['web', 'late']],
  ['status:open', ['web', 'late']],
  ['status:paused', ['website']],
  ['sprint:"two words"', ['web']],
  ['priority:medium label:web', ['web']],
  ['parent:abc', ['late']],
  ['due:tomorrow', ['web']],
  ['due:<today', ['late']],
  ['due:>=2026-12-01', ['web', 'late']],
  ['due:<=2026-12-01', ['late']],
  ['label:', ['web', 'website', 'late', 'over']],
])('%s', (text, names) => expect(found(text)).toEqual({ names, notes: [] }));

test.each([
  ['label:wbe', 'no label is "wbe"; did you mean web?'],
  ['owner:cladue', 'no owner is "cladue"; did you mean claude?'],
  ['status:dome', 'no status is "dome"; did you mean done?'],
  ['due:someday', 'due is "someday", expected a date'],
])('%s fits nothing, and it is said', (text, note) => {
  expect(found(text)).toEqual({ names: [], notes: [note] });
});

test('a word with an unknown key is looked for as text, and it is said', () => {
  expect(parseFilter('lable:web http://a/b "status:todo"')).toEqual({
    terms: [],
    words: ['lable:web', 'http://a/b', 'status:todo'],
    oddKeys: ['lable'],
  });
  expect(found('lable:web').notes).toEqual([
    'lable: is no key and is looked for as text; did you mean label:?',
  ]);
});

test('what is written of a filter is read as the same filter', () => {
  const value = fc.string({ minLength: 1 }).filter((text) => !text.includes('"') && text.trim() === text);
  const term = fc.record({
    key: fc.constantFrom(...FILTER_KEYS),
    sign: fc.constantFrom('' as const, '<' as const, '>=' as const),
    values: fc.array(value, { minLength: 1, maxLength: 3 }),
  });
  const words = fc.array(value.map((text) => text.toLowerCase()));
  forAll(100, fc.array(term), words, (terms, wanted) => {
    const read = parseFilter(formatFilter({ terms, words: wanted }));
    expect(read).toEqual({ terms, words: wanted, oddKeys: [] });
  });
});

test('any text is a filter, under every key', () => {
  forAll(100, fc.string(), fc.constantFrom(...FILTER_KEYS), (text, key) => {
    const filter = parseFilter(`${text} ${factsOf(key).filter!.as}:${text}`);
    const room = { nowMs: NOW };
    for (const each of TASKS) expect(createFilter(filter, room).fits(each)).toBeTypeOf('boolean');
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const some = fc.option(text);
const texts = fc.array(text, { maxLength: 3 });

const anyTask: fc.Arbitrary<Task> = fc
  .record({
    path: text.map((name) => `tasks/${name.replaceAll('/', '-')}.md`),
    id: fc.option(fc.stringMatching(/^[0-9a-z_-]{1,12}$/).map((id) => id as TaskId)),
    title: some,
    status: fc.constantFrom(...STATUSES),
    paused: fc.boolean(),
    requester: fc.oneof(fc.constant('owner'), text),
    owner: some,
    priority: fc.option(fc.constantFrom(...PRIORITIES)),
    ...{ blockedBy: texts, parent: some, labels: texts, sprint: some, base: some, repositories: texts },
    ...{ artifact: some, scope: some },
    sort: fc.option(
      fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Object.is(value, -0)),
    ),
    ...{ due: some, activeForm: some, created: some, createdBy: some, completedBy: some, updated: some },
    budget: fc.option(fc.constant({ turns: 3, minutes: null, tokens: null, cost: 0.5 }), { nil: null }),
    remote: some,
    steps: fc.array(fc.record({ title: text, details: text, done: fc.boolean(), task: some }), {
      maxLength: 4,
    }),
    resources: fc.array(fc.record({ kind: fc.constantFrom('url', 'file'), value: text, label: some }), {
      maxLength: 2,
    }),
    questions: fc.array(
      fc.record({
        ...{ key: text, author: text, at: text, text },
        ...{ answer: some, answerIds: texts, typed: some },
      }),
      { minLength: 1, maxLength: 2 },
    ),
    revision: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
    hash: fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 32, maxLength: 32 }),
  })
  .chain((facts) =>
    fc.constantFrom(true, false).map((asks) => {
      const { questions, ...rest } = { ...facts, name: nameOfPath(facts.path) };
      return (asks ? { ...rest, questions } : rest) as Task;
    }),
  );

test('a reading comes back as it was', () => {
  forAll(300, anyTask, (facts) => {
    const reading = { ok: true as const, task: facts };
    expect(unpackReading(packReading(reading, 0), facts.hash)).toEqual(reading);
  });
});

test('so does one that could not be read', () => {
  const problems = [{ path: 'tasks/x.md', line: 2, col: 8, message: 'odd' }];
  const reading = { ok: false as const, invalid: { path: 'tasks/x.md', problems } };
  expect(unpackReading(packReading(reading, 0), 'hash')).toEqual(reading);
});

test('the first line alone says what lists show', () => {
  forAll(300, anyTask, (facts) => {
    const [line, ...rest] = packReading({ ok: true, task: facts }, 0).split('\n');
    expect(rest).toHaveLength(1);
    const listed = unpackForList(line!);
    expect(listed).toEqual({ ok: true, task: asListed(facts, 0) });
    expect(Object.keys(listed.ok ? listed.task : {})).toHaveLength(22);
  });
});

// Ledgers keep these texts: where this test changes, the ledger's next version has to empty `files`.
test('the form that ledgers keep', () => {
  const none = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]));
  const plain = {
    ...{ id: 'aaaa0001', path: 'tasks/a.md', name: 'a', status: 'todo', paused: false, requester: 'owner' },
    ...none('title', 'owner', 'parent', 'sprint', 'artifact', 'scope', 'due', 'activeForm', 'created'),
    ...none('createdBy', 'completedBy', 'updated', 'budget', 'remote'),
    ...{ steps: [{ title: 's', details: '', done: true, task: null }], resources: [] },
    ...{ blockedBy: ['b'], labels: [], priority: 'low', sort: 3, revision: 'r', hash: 'h' },
  } as unknown as Task;
  expect(packReading({ ok: true, task: plain }, 0)).toBe(
    `{"id":"aaaa0001","name":"a","status":"todo","path":"tasks/a.md","title":null,"requester":"owner","paused":false,"owner":null,"priority":"low","blocked_by":["b"],"parent":null,"sprint":null,"artifact":null,"labels":[],"due":null,"created":null,"updated":"1970-01-01T00:00:00.000Z","scope":null,"sort":3,"active_form":null,"waiting":false,"steps":{"done":1,"total":1}}\n{"steps":[{"title":"s","details":"","done":true,"task":null}],"revision":"r"}`,
  );
});
