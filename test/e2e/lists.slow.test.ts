// Finding tasks: filters, order, search through texts and archive; and changes of several tasks at once.
import { beforeEach, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { type E2eRoom, SETTINGS } from './room.ts';

beforeEach(() => room.settings(...SETTINGS, 'archive_after: 1s'));

async function names(room: E2eRoom, ...args: string[]): Promise<string[]> {
  const { tasks } = await room.json('list', ...args);
  return tasks.map(({ name }: { name: string }) => name);
}

function save(room: E2eRoom, name: string, keys: string[], body = 'Words.\n'): void {
  room.save(`tasks/${name}.md`, ['---', 'status: draft', ...keys, '---', body].join('\n'));
}

test('list --text looks through texts and the archive, and show shows what lies there', async () => {
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
