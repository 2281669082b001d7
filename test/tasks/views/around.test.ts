// Which tasks a turn is told of beside its own: those it belongs with, and the todos of its turns.
import { expect, test } from 'vitest';
import { threadOfTask } from '../../../src/core/ids.ts';
import { refresh } from '../../../src/tasks/observe/refresh.ts';
import { readAround } from '../../../src/tasks/views/around.ts';
import { rig as room } from '../each-room.ts';

async function groupOf(id: string) {
  await refresh(room.handle);
  const row = room.deps.ledger.files.get(room.deps.ledger.tasks.get(id)!.path!)!;
  if (!row.reading.ok) throw new Error('unreadable');
  return readAround(room.deps, row.reading.task, 'coder').group;
}

test('a turn is told of the todos that turns of its task made, and a todo of those made beside it', async () => {
  room.save('Own.md', '---\nid: own11111\n---\nDo it.\n');
  room.save('First.md', '---\nid: first111\nstatus: done\n---\n');
  room.save('Second.md', '---\nid: second11\n---\n');
  room.save('Alone.md', '---\nid: alone111\n---\n');
  for (const id of ['first111', 'second11'])
    room.deps.ledger.makers.put({ task: id as never, thread: threadOfTask('own11111' as never) });
  expect(await groupOf('own11111')).toMatchObject({
    kind: 'made',
    ...{ done: 1, total: 2 },
    pending: [{ id: 'second11', own: false }],
  });
  expect(await groupOf('second11')).toMatchObject({ kind: 'made', pending: [{ own: true }] });
  expect(await groupOf('alone111')).toBeNull();
});
