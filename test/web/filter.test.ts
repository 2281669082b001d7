// What the address of a list shows, and in which order.
import { expect, test } from 'vitest';
import type { TaskRow } from '../../src/web/api/shapes.ts';
import { readFilter, readOrder } from '../../src/web/views/list/filter.ts';

function row(name: string, more: Partial<TaskRow> = {}): TaskRow {
  const base = {
    id: name,
    name,
    title: null,
    labels: [],
    owner: null,
    sprint: null,
    scope: null,
    artifact: null,
    parent: null,
    priority: null,
    ...{
      running: null,
      waiting: false,
      paused: false,
      blocked: false,
      pending: false,
      nothing_written: false,
    },
  };
  return {
    ...base,
    status: 'todo',
    requester: 'owner',
    due: null,
    finished_at: null,
    ...more,
  } as unknown as TaskRow;
}

const ROWS = [
  row('Write notes', { labels: ['docs'], priority: 'low', sprint: '47' }),
  row('Fix login', { status: 'doing', owner: 'claude', priority: 'high', waiting: true, due: '2026-12-01' }),
  row('Fix logout', { status: 'done', title: 'Logout fails', finished_at: '2026-11-02T00:00:00Z' }),
];

function shown(query: string): string[] {
  const said = new URLSearchParams(query);
  const rows = ROWS.filter(readFilter(said, ROWS).fits);
  const order = readOrder(said);
  return rows.sort(order).map(({ name }) => name);
}

test.each([
  ['', ['Write notes', 'Fix login', 'Fix logout']],
  ['text=LOG+fix', ['Fix login', 'Fix logout']],
  ['text=docs', []],
  ['text=label:docs', ['Write notes']],
  ['text=status:todo,doing+fix', ['Fix login']],
  ['text=due:<2026-12-24', ['Fix login']],
  ['text=fails', ['Fix logout']],
  ['status=doing,done', ['Fix login', 'Fix logout']],
  ['owner=claude', ['Fix login']],
  ['priority=medium', ['Fix logout']],
  ['sign=waiting', ['Fix login']],
  ['sign=of+no+kind', ['Write notes', 'Fix login', 'Fix logout']],
  ['sprint=47&status=done', []],
])('%s shows', (query, names) => {
  expect(shown(query)).toEqual(names);
});

test('what of the search is unknown is said', () => {
  expect(readFilter(new URLSearchParams('text=label:doc+prioritty:low+owner:cloude'), ROWS).notes).toEqual([
    'prioritty: is no key and is looked for as text; did you mean priority:?',
    'no owner is "cloude"; did you mean claude?',
  ]);
});

test.each([
  ['', ['Write notes', 'Fix login', 'Fix logout']],
  ['sort=title', ['Fix login', 'Fix logout', 'Write notes']],
  ['sort=title&down=1', ['Write notes', 'Fix logout', 'Fix login']],
  ['sort=priority', ['Fix login', 'Fix logout', 'Write notes']],
  ['sort=status', ['Fix login', 'Write notes', 'Fix logout']],
  ['sort=due', ['Fix login', 'Write notes', 'Fix logout']],
  ['sort=finished', ['Fix logout', 'Write notes', 'Fix login']],
])('%s orders', (query, names) => {
  expect(shown(query)).toEqual(names);
});
