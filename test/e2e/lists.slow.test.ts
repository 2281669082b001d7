// Finding tasks: filters, order, search through texts and archive; and changes of several tasks at once.
import { expect } from 'vitest';
import type { E2eRoom } from './room.ts';
import { testInRoom } from './room-test.ts';

const test = testInRoom('archive_after: 1s');

async function names(room: E2eRoom, ...args: string[]): Promise<string[]> {
  const { tasks } = await room.json('list', ...args);
  return tasks.map(({ name }: { name: string }) => name);
}

function save(room: E2eRoom, name: string, keys: string[], body = 'Words.\n'): void {
  room.save(`tasks/${name}.md`, ['---', 'status: draft', ...keys, '---', body].join('\n'));
}

test('list filters by priority and parent, sorts, and stops at a limit', async ({ room }) => {
  save(room, 'A', ['id: aaaa1111', 'priority: low', 'due: 2001-02-03']);
  save(room, 'B', ['priority: high', 'parent: A']);
  save(room, 'C', ['parent: task:aaaa1111', 'due: "2001-02-03T10:00"']);
  save(room, 'D', ['due: 2999-01-01']);
  save(room, 'E', ['due: soon']);
  expect(await names(room, '--priority', 'high,low')).toEqual(['B', 'A']);
  expect(await names(room, '--priority', 'medium')).toEqual(['C', 'D', 'E']);
  expect(await names(room, '--parent', 'A')).toEqual(['B', 'C']);
  expect(await names(room, '--parent', 'aaaa1111', '--priority', 'high')).toEqual(['B']);
  expect((await room.run(['list', '--parent', 'Nobody'])).code).toBe(3);
  expect(await names(room, '--sort', 'due')).toEqual(['C', 'A', 'D', 'B', 'E']);
  expect(await names(room, '--sort', 'priority', '--limit', '2')).toEqual(['B', 'C']);
  expect(await names(room, '--sort', 'name')).toEqual(['A', 'B', 'C', 'D', 'E']);
  expect(await room.run(['list', '--sort', 'colour'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('due, priority, status, name, created, finished'),
  });
  const shown = await room.ok('list', '--sort', 'due');
  expect(shown).toMatch(/A .*due 2001-02-03 \(overdue\)/);
  expect(shown).toMatch(/D .*due 2999-01-01$/m);
  expect(shown).toMatch(/E .*due soon \(no date\)/);
  expect(shown.indexOf(' C ')).toBeLessThan(shown.indexOf(' A '));
  expect(await room.ok('show', 'A')).toMatch(/due +2001-02-03 \(overdue\)/);
});

test('due is a date', async ({ room }) => {
  save(room, 'A', []);
  for (const due of ['2026-12-24', '2026-12-24 18:00', '2026-12-24T18:00:00Z']) {
    await room.ok('set', 'A', `due=${due}`);
    expect((await room.json('show', 'A')).due).toBe(due);
  }
  for (const due of ['soon', '2026-02-30', '2026-13-01', '24.12.2026', '2026-12-24T25:00']) {
    expect(await room.run(['set', 'A', `due=${due}`]), due).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('expected a date'),
    });
  }
  expect((await room.json('show', 'A')).due).toBe('2026-12-24T18:00:00Z');
  await room.ok('set', 'A', 'due=');
  expect((await room.json('show', 'A')).due).toBeNull();
});

test('list --text looks through texts and the archive, and show shows what lies there', async ({ room }) => {
  save(room, 'Open', [], 'The Zebra crossing.\n');
  save(room, 'Other', [], 'Nothing of it.\n');
  save(room, 'Over', ['id: over1111'], 'A zebra was here.\n');
  await room.ok('done', 'Over');
  await room.ok('archive', 'Over');
  room.save('archive/2001-01/From a clone.md', '---\nid: clone111\nstatus: done\n---\nzebra\n');
  expect(await names(room, '--text', 'zebra')).toEqual(['Open', 'Over', 'From a clone']);
  expect(await names(room, '--text', 'crossing ZEBRA')).toEqual(['Open']);
  expect(await names(room, '--text', 'zebra', '--status', 'done')).toEqual(['Over', 'From a clone']);
  expect(await names(room)).toEqual(['Open', 'Other']);
  expect(await room.ok('list', '--text', 'zebra')).toMatch(/Over +over1111 +archived/);
  expect(await room.json('show', 'Over')).toMatchObject({
    id: 'over1111',
    status: 'done',
    path: expect.stringMatching(/^archive\/\d{4}-\d\d\/Over\.md$/),
    body: expect.stringContaining('A zebra was here.'),
  });
  expect(await room.json('show', 'clone111')).toMatchObject({ path: 'archive/2001-01/From a clone.md' });
  expect((await room.run(['set', 'over1111', 'priority=low'])).code).toBe(4);
});

test('set and the status commands take several tasks, all of them or none', async ({ room }) => {
  for (const name of ['A', 'B', 'C d']) save(room, name, ['labels: [one, two]  # mine']);
  const status = async () =>
    (await room.json('list', '--sort', 'name')).tasks.map((task: { status: string }) => task.status);
  const changed = await room.json('set', 'A', 'C d', 'priority=high', 'labels+=three, one', 'labels-=two');
  expect(changed.tasks).toMatchObject([
    { name: 'A', changed: true },
    { name: 'C d', changed: true },
  ]);
  expect(room.read('tasks/C d.md')).toMatch(/^labels: \[ ?one, three ?\] {2}# mine$/m);
  expect((await room.json('show', 'A')).labels).toEqual(['one', 'three']);
  expect((await room.json('show', 'B')).labels).toEqual(['one', 'two']);
  expect((await room.json('set', 'A', 'labels+=one')).changed).toBe(false);
  expect((await room.run(['set', 'A', 'labels=x', 'labels+=y'])).code).toBe(2);
  await room.ok('set', 'A', 'labels-=one,three');
  expect((await room.json('show', 'A')).labels).toEqual([]);

  expect((await room.run(['cancel', 'A', 'Nobody'])).code).toBe(3);
  expect(await status()).toEqual(['draft', 'draft', 'draft']);
  expect(await room.ok('done', 'A', 'B')).toMatch(/A .* is done\n.*B .* is done\n/);
  expect(await status()).toEqual(['done', 'done', 'draft']);
  await room.ok('reopen', 'A', 'B');
  expect(await status()).toEqual(['todo', 'todo', 'draft']);
  await room.ok('pause', 'A', 'B', '--reason', 'for now');
  expect(room.read('tasks/B.md')).toContain('Paused: for now');
  await room.ok('resume', 'A', 'B');
  await room.ok('cancel', 'A', 'B', 'C d');
  expect(await status()).toEqual(['canceled', 'canceled', 'canceled']);
});
