// The language by which tasks are found: what is read of a text, and which tasks fit.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFilter, type FilteredTask, formatFilter, parseFilter } from '../../../src/core/task/filter.ts';
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
])('%s', (text, names) => {
  expect(found(text)).toEqual({ names, notes: [] });
});

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
