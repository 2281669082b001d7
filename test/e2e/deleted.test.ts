// A person hides a task with a word in its file.
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

test('status: deleted takes the file to the attic while a daemon runs, and every face is rid of it', async () => {
  room.save('tasks/Old.md', '---\nid: abc12345\nstatus: draft\n---\n\nNot needed.\n');
  const daemon = await room.up();
  await room.quiet(daemon);
  room.save('tasks/Old.md', room.read('tasks/Old.md').replace('draft', 'Deleted'));
  await daemon.see('task.gone', { id: 'abc12345' });
  const { tasks } = await room.json('list');
  expect(tasks.map(({ name }: { name: string }) => name)).not.toContain('Old');
  const kept = await room.json('show', 'abc12345');
  expect(kept).toMatchObject({
    name: 'Old',
    deleted: true,
    path: expect.stringMatching(/^\.taskroom\/attic\/.*-Old\.md$/),
  });
  expect(room.read(kept.path)).toContain('status: Deleted');
  expect(await room.ok('show', 'Old')).toContain('canceled, deleted');
});
